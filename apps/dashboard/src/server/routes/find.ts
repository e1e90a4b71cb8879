import type { AccountAppRow, AccountApps, AppUsers, NamedRow, NameQuery } from '@belfry/database';
import type { RequestLog } from '@belfry/pipeline/operate';
import type { FindAnswer, FindResult } from '../../api/find';
import { toAcceptedAt } from '../log-filter';
import { notFound } from '../problem';
import { listReadings, type Reading } from '../readings';
import { type Handlers, readId } from '../route';

export type FindHandlersDeps = {
  apps: Pick<AccountApps, 'find'>;
  log: Pick<RequestLog, 'readPage'>;
  users: Pick<AppUsers, 'listIdsByAddress'>;
  findNamed(query: NameQuery): Promise<NamedRow[]>;
};

/** The longest searchable value is an address. */
const maxTextCharacters = 255;
const none: FindAnswer = { readings: [], found: [], skipsSearchedFrom: null };

/** The search of the log and of the palette: every reading of a text that matches something. */
export function createFindHandlers(deps: FindHandlersDeps) {
  return {
    async 'GET /api/find'({ actor: { accountId }, query: { text, app: appParam } }) {
      const app = appParam === undefined ? undefined : await findApp(deps, accountId, appParam);
      if (text === undefined || text.length > maxTextCharacters) return none;
      const readings = listReadings(text, app?.defaultRegion ?? null);
      const providerMessageId = readings.find(({ kind }) => kind === 'providerMessage')?.value;
      const [named, ...matches] = await Promise.all([
        deps.findNamed({ accountId, appId: app?.id, text, providerMessageId }),
        ...(app ? findRecipients(deps, app, readings) : []),
      ]);
      const limits = matches.flatMap(({ skipsSearchedFrom }) => skipsSearchedFrom ?? []);
      return {
        readings: readings.map(({ label }) => label),
        found: [
          ...named.map((row) => toResult(row, readings)),
          ...matches.flatMap(({ found }) => found),
        ],
        skipsSearchedFrom: limits.length === 0 ? null : Math.max(...limits.map(toAcceptedAt)),
      };
    },
  } satisfies Partial<Handlers>;
}

async function findApp({ apps }: FindHandlersDeps, accountId: string, id: string) {
  const app = await apps.find(accountId, readId(id, 'app'));
  if (!app) throw notFound('app');
  return app;
}

/** Reads the log for each reading as a recipient. Only addresses need the slower search for skipped channels. */
function findRecipients(
  { log, users }: FindHandlersDeps,
  { id: appId }: AccountAppRow,
  readings: readonly Reading[],
) {
  const recipients = readings.filter(({ kind }) => kind === 'recipient');
  return recipients.map(async ({ label, value: recipient, isAddress }) => {
    const recipientUserIds = await users.listIdsByAddress(appId, recipient);
    const { ids, skipsSearchedFrom } = await log.readPage(
      { appId, recipient, recipientUserIds },
      { isSkipSearched: isAddress === true },
    );
    const match: FindResult = { kind: 'recipient', label, appId, filters: { recipient } };
    const isFound = ids.length > 0 || recipientUserIds.length > 0;
    return { found: isFound ? [match] : [], skipsSearchedFrom };
  });
}

function toResult(row: NamedRow, readings: readonly Reading[]): FindResult {
  const { kind, appId } = row;
  const getReading = (one: Reading['kind']) => readings.find((reading) => reading.kind === one);
  const { value: text = '' } = getReading('idempotencyKey') ?? {};
  switch (row.kind) {
    case 'request':
    case 'message':
    case 'providerMessage': {
      const { requestId, event } = row;
      const read = getReading(row.kind === 'providerMessage' ? row.kind : 'id');
      const label = `${idNames[row.kind]} ${read?.value ?? text}`;
      return { kind, label, appId, filters: { requestId }, requestId, event };
    }
    case 'resend': {
      const { resendId } = row;
      return { kind, label: `resend ID ${resendId}`, appId, filters: null, resendId };
    }
    case 'user': {
      const { userSid } = row;
      return { kind, label: `user ID ${text}`, appId, filters: { recipient: text }, userSid };
    }
    case 'event': {
      const { eventId } = row;
      return { kind, label: `event ${text}`, appId, filters: { event: text }, eventId };
    }
    case 'idempotencyKey':
      return { kind, label: `idempotency key ${text}`, appId, filters: { idempotencyKey: text } };
  }
}

const idNames = {
  request: 'request ID',
  message: 'message ID',
  providerMessage: 'provider’s message ID',
};
