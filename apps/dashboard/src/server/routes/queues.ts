import type {
  AccountAppRow,
  AccountApps,
  AppIntegrations,
  WorkerHeartbeat,
} from '@belfry/database';
import type { QueueFacts } from '@belfry/pipeline/operate';
import type { ChannelPauseAnswer, QueuesAnswer, StatusAnswer, StoreStatus } from '../../api/queues';
import { sortByChannel } from '../channel-order';
import { notFound } from '../problem';
import { toChannelQueue, toIntegrationQueue } from '../queue-page';
import { type AppCall, type Call, queryText, type Routes, readId } from '../route';

export type QueueRoutesDeps = {
  channelNames: readonly string[];
  apps: Pick<AccountApps, 'list'>;
  integrations: Pick<AppIntegrations, 'list'>;
  facts: QueueFacts;
  listHeartbeats(): Promise<WorkerHeartbeat[]>;
  readStatus(): Promise<StoreStatus>;
  now: () => Date;
};

/** Queues: waiting messages, workers, and pausing channels. */
export function createQueueRoutes(deps: QueueRoutesDeps, { signedIn, inApp }: Routes) {
  const { facts, channelNames } = deps;

  return {
    read: signedIn(async (call): Promise<QueuesAnswer> => {
      const apps = await listRequestedApps(deps.apps, call);
      const ids = apps.map(({ id }) => id);
      const [channelFacts, pauses, workers, bulks, integrations, stores, rates, latency] =
        await Promise.all([
          facts.readChannels(ids, channelNames),
          facts.listPauses(ids),
          deps.listHeartbeats(),
          facts.listBulks(ids),
          Promise.all(
            ids.map(async (id) =>
              (await deps.integrations.list(id)).map((row) => toIntegrationQueue(id, row)),
            ),
          ),
          deps.readStatus(),
          facts.readRates(ids),
          facts.readLatency(ids),
        ]);
      const readAt = deps.now();
      const read = { facts: channelFacts, pauses, workers, apps, rates, readAt };
      return {
        readAt: readAt.getTime(),
        channels: sortByChannel(channelNames).map((channel) => toChannelQueue(channel, read)),
        integrations: integrations.flat(),
        bulks: bulks.map(({ acceptedAt, ...bulk }) => ({
          ...bulk,
          acceptedAt: acceptedAt.getTime(),
        })),
        stores,
        latency: latency ?? null,
      };
    }),

    status: signedIn(async (): Promise<StatusAnswer> => {
      return { ...(await deps.readStatus()), readAt: deps.now().getTime() };
    }),

    pause: inApp(async (call): Promise<ChannelPauseAnswer> => {
      const channel = readChannel(call);
      await facts.pauseChannel(call.actor, call.app.id, channel);
      return { appId: call.app.id, channel, isPaused: true };
    }),

    resume: inApp(async (call): Promise<ChannelPauseAnswer> => {
      const channel = readChannel(call);
      await facts.resumeChannel(call.actor, call.app.id, channel);
      return { appId: call.app.id, channel, isPaused: false };
    }),
  };

  function readChannel({ path }: AppCall): string {
    const channel = path['channel'] ?? '';
    if (!channelNames.includes(channel)) throw notFound('channel');
    return channel;
  }
}

/** The requested app, or all apps of the account. */
async function listRequestedApps(
  apps: QueueRoutesDeps['apps'],
  call: Call,
): Promise<AccountAppRow[]> {
  const all = await apps.list(call.actor.accountId);
  const appParam = queryText(call, 'app');
  if (appParam === undefined) return all;
  const id = readId({ path: { app: appParam } }, 'app', 'app');
  const selectedApps = all.filter((app) => app.id === id);
  if (selectedApps.length === 0) throw notFound('app');
  return selectedApps;
}
