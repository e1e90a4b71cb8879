import type {
  AccountAppRow,
  AccountApps,
  AppIntegrations,
  WorkerHeartbeat,
} from '@belfry/database';
import type { QueueFacts } from '@belfry/pipeline/operate';
import type { QueuesAnswer, StoreStatus } from '../../api/queues';
import { sortByChannel } from '../channel-order';
import { notFound } from '../problem';
import { sumWaits, toChannelQueue, toIntegrationQueue } from '../queue-page';
import { type Handlers, readId } from '../route';

export type QueueHandlersDeps = {
  channelNames: readonly string[];
  apps: Pick<AccountApps, 'list'>;
  integrations: Pick<AppIntegrations, 'list'>;
  facts: QueueFacts;
  listHeartbeats(): Promise<WorkerHeartbeat[]>;
  readStatus(): Promise<StoreStatus>;
  now: () => Date;
};

/** Queues: waiting messages, workers, and pausing channels. */
export function createQueueHandlers(deps: QueueHandlersDeps) {
  const { facts, channelNames } = deps;

  return {
    async 'GET /api/queues'({ actor, query }): Promise<QueuesAnswer> {
      return readQueues(deps, await listRequestedApps(deps.apps, actor.accountId, query.app));
    },

    async 'GET /api/status'() {
      return { ...(await deps.readStatus()), readAt: deps.now().getTime() };
    },

    async 'POST /api/apps/:appId/channels/:channel/pause'({ actor, app, path }) {
      const channel = checkChannel(path.channel);
      await facts.pauseChannel(actor, app.id, channel);
      return { appId: app.id, channel, isPaused: true };
    },

    async 'POST /api/apps/:appId/channels/:channel/resume'({ actor, app, path }) {
      const channel = checkChannel(path.channel);
      await facts.resumeChannel(actor, app.id, channel);
      return { appId: app.id, channel, isPaused: false };
    },
  } satisfies Partial<Handlers>;

  function checkChannel(channel: string): string {
    if (!channelNames.includes(channel)) throw notFound('channel');
    return channel;
  }
}

async function readQueues(
  { facts, channelNames, ...deps }: QueueHandlersDeps,
  apps: readonly AccountAppRow[],
): Promise<QueuesAnswer> {
  const ids = apps.map(({ id }) => id);
  const [waits, pauses, workers, bulks, integrations, stores, rates, latency] = await Promise.all([
    facts.countWaits(ids, channelNames),
    facts.listPauses(ids),
    deps.listHeartbeats(),
    facts.listBulks(ids),
    Promise.all(
      ids.map(async (id) =>
        (await deps.integrations.list(id)).map((row) => toIntegrationQueue(id, row, deps.now())),
      ),
    ),
    deps.readStatus(),
    facts.readRates(ids),
    facts.readLatency(ids),
  ]);
  const readAt = deps.now();
  const read = { waits, pauses, workers, apps, rates, readAt };
  return {
    readAt: readAt.getTime(),
    total: sumWaits(waits),
    apps: apps.map(({ id: appId, name }) => ({
      appId,
      name,
      ...sumWaits(waits.filter((row) => row.appId === appId)),
    })),
    channels: sortByChannel(channelNames).map((channel) => toChannelQueue(channel, read)),
    integrations: integrations.flat(),
    bulks: bulks.map(({ acceptedAt, ...bulk }) => ({
      ...bulk,
      acceptedAt: acceptedAt.getTime(),
    })),
    stores,
    latency: latency ?? null,
  };
}

/** The requested app, or all apps of the account. */
async function listRequestedApps(
  apps: QueueHandlersDeps['apps'],
  accountId: string,
  requestedId: string | undefined,
): Promise<AccountAppRow[]> {
  const all = await apps.list(accountId);
  if (requestedId === undefined) return all;
  const id = readId(requestedId, 'app');
  const selectedApps = all.filter((app) => app.id === id);
  if (selectedApps.length === 0) throw notFound('app');
  return selectedApps;
}
