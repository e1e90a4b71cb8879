import { createAccountApps } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { claimMessages } from '../deliver/claim.sql';
import { createOverview } from '../operate/overview.sql';
import { createQueueFacts } from '../operate/queue-counts';
import {
  addMinutes,
  countEmptyMinutes,
  countMinute,
  listDueMinutes,
  markChangedMinutes,
  postponeMinute,
} from '../relay/count-minutes.sql';
import { claim, send, type World } from './world.fixture';

export async function useQueues({ database, actor, appId }: World): Promise<void> {
  const queues = createQueueFacts(database.delivery);
  await queues.pauseChannel(actor, appId, 'email');
  await queues.listPauses([appId]);
  await queues.pauseSending(actor, appId, ['email', 'sms']);
  await createAccountApps(database.accepting).list(actor.accountId);
  await queues.resumeChannel(actor, appId, 'email');
  await queues.resumeSending(actor, appId);
  await queues.pauseChannel(actor, appId, 'sms');
  await queues.resumeChannel(actor, appId, 'sms');
  await queues.listBulks([appId]);
  await queues.readRates([appId]);
  await queues.readLatency([appId]);
  await queues.ping();
}

export async function useOverview(world: World): Promise<void> {
  const { database, alter, appId } = world;
  const pool = database.delivery;
  const { requestId, messageId } = await send(world);
  await claimMessages(pool, claim([messageId]));
  const minute = new Date(Math.floor(readTime(requestId) / 60_000) * 60_000);
  // With these, only a few minutes are new.
  await alter(
    `INSERT INTO counted_minute (minute) SELECT $1::timestamptz - ago
     FROM unnest(ARRAY[interval '2 minutes', interval '1 day', interval '2 days']) ago`,
    [minute],
  );
  await addMinutes(pool);
  await countMinute(pool, minute);
  await alter('UPDATE request SET items = 2 WHERE id = $1', [requestId]);
  await alter('INSERT INTO request_item (request_id, item) VALUES ($1, 1)', [requestId]);
  await countMinute(pool, minute);
  await alter('UPDATE request_item SET planned_at = now() WHERE request_id = $1', [requestId]);
  await alter('UPDATE request SET planned_items = 2 WHERE id = $1', [requestId]);
  await alter(`UPDATE message SET state = 'failed', reason = 'expired' WHERE id = $1`, [messageId]);
  await alter(
    `INSERT INTO receipt (id, app_id, message_id, state, body) VALUES ($1, $2, $3, 'failed', '{}')`,
    [newId(), appId, messageId],
  );
  await markChangedMinutes(pool);
  // Its requests were removed.
  await alter(
    `INSERT INTO message_minute SELECT app_id, channel, minute - interval '1 day', waiting, sent, delivered, read, failed,
       skipped, unknown FROM message_minute WHERE minute = $1`,
    [minute],
  );
  await countEmptyMinutes(pool);
  await listDueMinutes(pool, 9);
  await postponeMinute(pool, minute, 60);
  await countMinute(pool, minute);
  const overview = createOverview(database.lookUps);
  const range = { appId, from: minute, stepMs: 60_000, points: 2 };
  await overview.readPoints(range);
  await overview.readLatencies(range);
  await overview.readFailures(range);
  await overview.readProgress(minute);
}

function readTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
