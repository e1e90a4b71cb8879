import { newId } from '@belfry/runtime';
import { claimMessages } from '../deliver/claim.sql';
import { writeDeliveryCounts } from '../deliver/delivery-counts.sql';
import { listFeedSkips } from '../operate/live-feed.sql';
import { readItems } from '../operate/request-items';
import { readRequestStatus } from '../operate/request-status';
import { countQueued, enqueueDue } from '../relay/enqueue-due.sql';
import { findUnplannedRequest, listUnplannedItems, writePlans } from '../relay/fan-out.sql';
import {
  expireWaiting,
  listDoubtedMessages,
  listExpiredLeases,
  listUnplannedRequests,
  replaceJobs,
} from '../relay/relay.sql';
import { claim, newMessage, send, type World } from './world.fixture';

export async function useRelay(world: World): Promise<void> {
  const { database, alter } = world;
  const pool = database.delivery;
  await send(world, { channel: 'sms', target: '+4520000000' });
  await enqueueDue(pool, {
    after: undefined,
    share: (groups) => groups.map((group) => ({ ...group, messages: 9 })),
    gather: (messages) => [{ jobId: newId(), ids: messages.map(({ id }) => id) }],
  });
  await countQueued(pool);
  const [doubted] = await listDoubtedMessages(pool, { channel: 'sms', limit: 9, dueForMs: 0 });
  if (doubted) {
    await replaceJobs(pool, [{ id: doubted.id, jobId: newId(), previousJobId: doubted.jobId }]);
  }
  const lost = await send(world);
  await claimMessages(pool, claim([lost.messageId]));
  await alter(`UPDATE message SET due_at = now() - interval '1 s' WHERE id = $1`, [lost.messageId]);
  await listExpiredLeases(pool, { limit: 9, backForMs: 600_000 });
  await send(world, { data: '"sealed"', message: { timeToLiveMs: -1 } });
  await expireWaiting(pool, 9);
  await writeDeliveryCounts(pool, [{ appId: world.appId, channel: 'email', accepted: 1 }]);
  await alter(`UPDATE delivery_count SET at = at - interval '1 minute'`);
}

export async function useFanOut(world: World): Promise<void> {
  const pool = world.database.delivery;
  const { requestId } = await send(world, { unplanned: 2 });
  await listUnplannedRequests(pool, { olderThanMs: 0, limit: 9 });
  const page = { appId: world.appId, requestId, after: undefined, limit: 9 };
  await readRequestStatus(world.database.lookUps, page);
  await readItems(world.database.lookUps, { ...page, from: 0, to: 9 });
  const request = await findUnplannedRequest(pool, requestId);
  const items = await listUnplannedItems(pool, { requestId, from: 0, limit: 9 });
  if (!request) throw new Error('The request has nothing to plan');
  const skips = { sms: { reason: 'no_address', detail: 'none' } } as const;
  await writePlans(pool, request, {
    from: 0,
    to: 2,
    items: items.map(({ item }) => ({
      item,
      locale: undefined,
      plan: { messages: [newMessage(newId())], skips, locale: 'de' },
    })),
  });
  await listFeedSkips(world.database.lookUps, [requestId]);
}
