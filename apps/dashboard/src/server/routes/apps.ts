import { type AnyChannel, isPhoneRegion } from '@belfry/channels';
import type {
  AccountAppRow,
  AccountApps,
  AccountKeys,
  AppEvents,
  AppIntegrations,
} from '@belfry/database';
import type { QueueFacts } from '@belfry/pipeline/operate';
import { type AppSettings, listAppSettings, operatorInput } from '@belfry/shared';
import type { AppAnswer } from '../../api/apps';
import type { StoreStatus } from '../../api/queues';
import { listGoingLiveItems } from '../going-live';
import { invalid, notFound, requireName } from '../problem';
import type { Handlers } from '../route';

const { notARegion } = operatorInput;

export type AppHandlersDeps = {
  apps: AccountApps;
  sending: Pick<QueueFacts, 'pauseSending' | 'resumeSending'>;
  channelNames: readonly string[];
} & GoingLiveDeps;

type GoingLiveDeps = {
  channels: Record<string, AnyChannel>;
  keys: Pick<AccountKeys, 'list'>;
  events: Pick<AppEvents, 'list'>;
  integrations: Pick<AppIntegrations, 'list'>;
  readStatus(): Promise<StoreStatus>;
};

/** Apps of the account. */
export function createAppHandlers(deps: AppHandlersDeps) {
  const { apps, sending, channelNames } = deps;

  async function read(accountId: string, id: string): Promise<AppAnswer> {
    const app = await apps.find(accountId, id);
    if (!app) throw notFound('app');
    return toAppAnswer(app);
  }

  return {
    async 'GET /api/apps'({ actor }) {
      const rows = await apps.list(actor.accountId);
      return { apps: rows.map(toAppAnswer) };
    },

    async 'POST /api/apps'({ actor, body: { name, ...settings } }) {
      const id = await apps.create(actor, { ...pickSettings(settings), name: name.trim() });
      return read(actor.accountId, id);
    },

    async 'PATCH /api/apps/:appId'({ actor, app, body: { name, confirmName, ...settings } }) {
      if (app.delivery === 'sandbox' && settings['delivery'] === 'live') {
        requireName(confirmName, app.name, 'deliver its messages to people');
      }
      const change = {
        ...pickSettings(settings),
        ...(name === undefined ? {} : { name: name.trim() }),
      };
      await apps.change(actor, app.id, change);
      return read(actor.accountId, app.id);
    },

    async 'DELETE /api/apps/:appId'({ actor, app, body }) {
      requireName(body.confirmName, app.name, 'remove it');
      await apps.remove(actor, app.id);
      return { success: true };
    },

    async 'GET /api/apps/:appId/going-live'({ actor, app }) {
      const facts = await readGoingLiveFacts(deps, { ...app, accountId: actor.accountId });
      return { items: listGoingLiveItems(facts) };
    },

    async 'POST /api/apps/:appId/pause'({ actor, app }) {
      await sending.pauseSending(actor, app.id, channelNames);
      return read(actor.accountId, app.id);
    },

    async 'POST /api/apps/:appId/resume'({ actor, app }) {
      await sending.resumeSending(actor, app.id);
      return read(actor.accountId, app.id);
    },
  } satisfies Partial<Handlers>;
}

/** Settings of a body that matches the contract. */
function pickSettings(settings: { [name: string]: unknown }): Partial<AppSettings> {
  return Object.fromEntries(
    listAppSettings().flatMap(([key, { kind }]) => {
      const value = settings[key];
      if (kind === 'region' && typeof value === 'string' && !isPhoneRegion(value)) {
        throw invalid([{ path: key, problem: notARegion }]);
      }
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

async function readGoingLiveFacts(
  { channels, keys, events, integrations, readStatus }: AppHandlersDeps,
  { id, accountId, openInboxCounters }: AccountAppRow & { accountId: string },
) {
  const [accountKeys, appEvents, appIntegrations, { gateway }] = await Promise.all([
    keys.list(accountId),
    events.list(id),
    integrations.list(id),
    readStatus(),
  ]);
  const lists = { keys: accountKeys, events: appEvents, integrations: appIntegrations };
  return { channels, ...lists, gateway, openInboxCounters };
}

function toAppAnswer({ createdAt, sendingPausedAt, ...app }: AccountAppRow): AppAnswer {
  return {
    ...app,
    createdAt: createdAt.getTime(),
    sendingPausedAt: sendingPausedAt?.getTime() ?? null,
  };
}
