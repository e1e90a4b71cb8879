import type {
  AccountAppRow,
  AccountApps,
  AppUsers,
  MatchedUser,
  NamedRow,
  NameQuery,
} from '@belfry/database';
import type { RequestLog } from '@belfry/pipeline/operate';
import { maxMetadataTextCharacters } from '@belfry/shared';
import type { FindAnswer, FindResult } from '../../api/find';
import { toAcceptedAt } from '../log-filter';
import { notFound } from '../problem';
import { listReadings, type Reading } from '../readings';
import { type Handlers, readId } from '../route';

export type FindHandlersDeps = {
  apps: Pick<AccountApps, 'find'>;
  log: Pick<RequestLog, 'readPage'>;
  users: Pick<AppUsers, 'listIdsByAddress' | 'search'>;
  findNamed(query: NameQuery): Promise<NamedRow[]>;
};

/** Users whose ID or address begins with the text. Messages have no index by the beginning of an address. */
const maxUsers = 5;
const none: FindAnswer = { readings: [], found: [], skipsSearchedFrom: null };

/**
 * The search of the log and of the palette: every reading of a text that matches something. An operator has one search at
 * a time, and a search ends when its browser leaves, so that typing does not take every database connection.
 */
export function createFindHandlers(deps: FindHandlersDeps) {
  const takeTurn = createTurns();
  return {
    async 'GET /api/find'({ res, session, query: { text, app: appParam } }) {
      const { account, operator } = session;
      const app = appParam === undefined ? undefined : await findApp(deps, account.id, appParam);
      if (text === undefined || text.length > maxMetadataTextCharacters) return none;
      const left = new AbortController();
      res.once('close', () => left.abort());
      const search = { accountId: account.id, app, text, signal: left.signal };
      return takeTurn(operator.id, async () => (left.signal.aborted ? none : find(deps, search)));
    },
  } satisfies Partial<Handlers>;
}

/** Runs the work of one name one after the other. */
function createTurns() {
  const ends = new Map<string, Promise<unknown>>();
  return async function takeTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (ends.get(name) ?? Promise.resolve()).then(work);
    const end = turn.catch(() => undefined);
    ends.set(name, end);
    await end;
    if (ends.get(name) === end) ends.delete(name);
    return turn;
  };
}

type Search = {
  accountId: string;
  app: AccountAppRow | undefined;
  text: string;
  signal: AbortSignal;
};

async function find(
  deps: FindHandlersDeps,
  { accountId, app, text, signal }: Search,
): Promise<FindAnswer> {
  const readings = listReadings(text, app?.defaultRegion ?? null);
  const providerMessageId = readings.find(({ kind }) => kind === 'providerMessage')?.value;
  const [named, users, ...matches] = await Promise.all([
    deps.findNamed({ accountId, appId: app?.id, text, providerMessageId }),
    app ? findUsers(deps, app.id, text) : [],
    ...(app ? findRecipients(deps, { app, readings, signal }) : []),
  ]);
  const exact = [
    ...named.map((row) => toResult(row, readings)),
    ...matches.flatMap(({ found }) => found),
  ];
  const limits = matches.flatMap(({ skipsSearchedFrom }) => skipsSearchedFrom ?? []);
  return {
    readings: readings.map(({ label }) => label),
    found: addUsers(exact, users),
    skipsSearchedFrom: limits.length === 0 ? null : Math.max(...limits.map(toAcceptedAt)),
  };
}

function addUsers(exact: readonly FindResult[], users: readonly FindResult[]): FindResult[] {
  const sids = new Set(exact.map(({ userSid }) => userSid));
  return [...exact, ...users.filter(({ userSid }) => !sids.has(userSid))];
}

async function findApp({ apps }: FindHandlersDeps, accountId: string, id: string) {
  const app = await apps.find(accountId, readId(id, 'app'));
  if (!app) throw notFound('app');
  return app;
}

/** Reads the log for each reading as a recipient. Only addresses need the slower search for skipped channels. */
function findRecipients(
  { log, users }: FindHandlersDeps,
  {
    app: { id: appId },
    readings,
    signal,
  }: { app: AccountAppRow; readings: readonly Reading[]; signal: AbortSignal },
) {
  const recipients = readings.filter(({ kind }) => kind === 'recipient');
  return recipients.map(async ({ label, value: recipient, isAddress }) => {
    const recipientUserIds = await users.listIdsByAddress(appId, recipient);
    const { ids, skipsSearchedFrom } = await log.readPage(
      { appId, recipient, recipientUserIds },
      { isSkipSearched: isAddress === true, signal },
    );
    const match: FindResult = { kind: 'recipient', label, appId, filters: { recipient } };
    const isFound = ids.length > 0 || recipientUserIds.length > 0;
    return { found: isFound ? [match] : [], skipsSearchedFrom };
  });
}

async function findUsers(
  { users }: FindHandlersDeps,
  appId: string,
  text: string,
): Promise<FindResult[]> {
  const { rows } = await users.search(appId, text.trim(), maxUsers);
  return rows.map((user) => {
    const filters = { recipient: user.userId };
    const label = describeUser(user);
    return { kind: 'user', label, appId, filters, userSid: user.sid, isPrefixMatch: true };
  });
}

/** The user and the address that matched: `user ID u_1, email ana@example.com`. */
function describeUser({ userId, contact, matched }: MatchedUser): string {
  const [field = '', member] = matched.split('.');
  const value = contact[field];
  const address = member === undefined ? value : Object(value)[member];
  return `user ID ${userId}${typeof address === 'string' ? `, ${matched} ${address}` : ''}`;
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
    case 'metadata':
      return { kind, label: `metadata ${text}`, appId, filters: { metadata: text } };
    case 'idempotencyKey':
      return { kind, label: `idempotency key ${text}`, appId, filters: { idempotencyKey: text } };
  }
}

const idNames = {
  request: 'request ID',
  message: 'message ID',
  providerMessage: 'provider’s message ID',
};
