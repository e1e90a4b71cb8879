import type {
  AccountAppRow,
  AccountApps,
  AppIntegrations,
  QueueFacts,
  WorkerLife,
} from '@belfry/database';
import type { ChannelPauseAnswer, QueuesAnswer, StatusAnswer, StoreStatus } from '../../api/queues';
import { inPealOrder } from '../peal';
import { notFound } from '../problem';
import { channelQueueOf, integrationQueueOf } from '../queue-page';
import { type AppCall, type Call, idOf, queryText, type Routes } from '../route';

export type QueueRoutesDeps = {
  channelNames: readonly string[];
  apps: Pick<AccountApps, 'list'>;
  integrations: Pick<AppIntegrations, 'list'>;
  facts: QueueFacts;
  listHeartbeats(): Promise<WorkerLife[]>;
  readStatus(): Promise<StoreStatus>;
  now: () => Date;
};

/** What waits, who is working on it, and the switches that hold it up. */
export function createQueueRoutes(deps: QueueRoutesDeps, { signedIn, inApp }: Routes) {
  const { facts, channelNames } = deps;

  return {
    read: signedIn(async (call): Promise<QueuesAnswer> => {
      const apps = await listWanted(deps.apps, call);
      const ids = apps.map(({ id }) => id);
      const [channelFacts, pauses, workers, bulks, integrations, stores, rates, latency] =
        await Promise.all([
          facts.readChannels(ids, channelNames),
          facts.listPauses(ids),
          deps.listHeartbeats(),
          facts.listBulks(ids),
          Promise.all(
            ids.map(async (id) =>
              (await deps.integrations.list(id)).map((row) => integrationQueueOf(id, row)),
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
        channels: inPealOrder(channelNames).map((channel) => channelQueueOf(channel, read)),
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
      const channel = channelOf(call);
      await facts.pauseChannel(call.actor, call.app.id, channel);
      return { appId: call.app.id, channel, isPaused: true };
    }),

    resume: inApp(async (call): Promise<ChannelPauseAnswer> => {
      const channel = channelOf(call);
      await facts.resumeChannel(call.actor, call.app.id, channel);
      return { appId: call.app.id, channel, isPaused: false };
    }),
  };

  function channelOf({ path }: AppCall): string {
    const channel = path['channel'] ?? '';
    if (!channelNames.includes(channel)) throw notFound('channel');
    return channel;
  }
}

/** The app that is named, or every one of the account. */
async function listWanted(apps: QueueRoutesDeps['apps'], call: Call): Promise<AccountAppRow[]> {
  const all = await apps.list(call.actor.accountId);
  const wanted = queryText(call, 'app');
  if (wanted === undefined) return all;
  const id = idOf({ path: { app: wanted } }, 'app', 'app');
  const named = all.filter((app) => app.id === id);
  if (named.length === 0) throw notFound('app');
  return named;
}
