import type { AccountApps, AppIntegrations, QueueFacts, WorkerLife } from '@belfry/database';
import type { ChannelPauseAnswer, QueuesAnswer, StatusAnswer, StoreStatus } from '../../api/queues';
import { inPealOrder } from '../peal';
import { notFound } from '../problem';
import { channelQueueOf, integrationQueueOf } from '../queue-page';
import { type AppCall, idOf, queryText, type Routes } from '../route';

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
      const all = await deps.apps.list(call.actor.accountId);
      const wanted = queryText(call, 'app');
      const apps =
        wanted === undefined
          ? all
          : all.filter(({ id }) => id === idOf({ path: { app: wanted } }, 'app', 'app'));
      if (wanted !== undefined && apps.length === 0) throw notFound('app');
      const ids = apps.map(({ id }) => id);
      const [channelFacts, pauses, workers, bulks, integrations, stores] = await Promise.all([
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
      ]);
      const readAt = deps.now();
      const read = { facts: channelFacts, pauses, workers, apps, readAt };
      return {
        readAt: readAt.getTime(),
        channels: inPealOrder(channelNames).map((channel) => channelQueueOf(channel, read)),
        integrations: integrations.flat(),
        bulks: bulks.map(({ acceptedAt, ...bulk }) => ({
          ...bulk,
          acceptedAt: acceptedAt.getTime(),
        })),
        stores,
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
