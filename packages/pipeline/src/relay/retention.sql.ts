import { type Queryable, removeOldIntegrationCounts } from '@belfry/database';
import { purgeIdempotencyKeys } from '../accept/idempotency.sql';
import { createSealedTextsRemoval } from '../accept/sealed-items';
import { removeOldIncidents } from '../alerts/notifications.sql';
import type { Archive } from '../archive/archive';
import { capturesPerApp } from '../deliver/capture.sql';
import { removeOldDeliveryCounts } from '../deliver/delivery-counts.sql';
import { createErasureTask } from '../operate/erase';
import { endOldDeliveries, removeOldDeliveries } from '../webhooks/upkeep.sql';
import { minutesPerChunk, removeOldMinutes } from './count-minutes.sql';
import { isPastRetention } from './past-retention.sql';
import { createRequestRemoval } from './remove-requests.sql';
import type { UpkeepTask } from './retention';

/** Maximum rows of one statement. */
const upkeepChunk = 5_000;

/** Few, because each has rows in six tables: a long transaction delays sends. */
const requestChunk = 200;
/** More, so that an archive has fewer files. */
const archivedChunk = 5_000;

const dayMs = 24 * 60 * 60_000;
const captureDays = 7;
const inboxDays = 90;
/** How long a dead worker stays listed. */
const heartbeatMs = 10 * 60_000;

type UpkeepOptions = { retentionDays: number; archive?: Archive | undefined };

/** The removals of one upkeep run. None removes a message that is still to be sent. */
export function createUpkeepTasks({ retentionDays, archive }: UpkeepOptions): UpkeepTask[] {
  return [
    inChunks('idempotency_key', (database) =>
      purgeIdempotencyKeys(database, { olderThanMs: dayMs, limit: upkeepChunk }),
    ),
    inChunks('capture over the limit of its app', removeExcessCaptures),
    inChunks('capture', (database) => removeAged(database, 'capture', captureDays * dayMs)),
    inChunks('inbox_item', (database) => removeAged(database, 'inbox_item', inboxDays * dayMs)),
    createRequestRemoval({ retentionDays, chunk: archive ? archivedChunk : requestChunk, archive }),
    inChunks('receipt without message', (database) => removeStrayReceipts(database, retentionDays)),
    inChunks('worker_heartbeat', removeDeadHeartbeats),
    inChunks('delivery_count', removeOldDeliveryCounts),
    inChunks('message_minute', removeOldMinutes, minutesPerChunk),
    inChunks('integration_count', removeOldIntegrationCounts),
    createSealedTextsRemoval(upkeepChunk),
    inChunks('alert_incident', (database) =>
      removeOldIncidents(database, { retentionDays, limit: upkeepChunk }),
    ),
    inChunks('resend', (database) => removeOldResends(database, retentionDays), 1),
    inChunks('webhook past its end', (database) => endOldDeliveries(database, upkeepChunk)),
    inChunks('webhook_delivery', (database) => removeOldDeliveries(database, upkeepChunk)),
    createErasureTask(),
  ];
}

function inChunks(
  name: string,
  remove: (database: Queryable) => Promise<number>,
  chunk = upkeepChunk,
): UpkeepTask {
  return {
    name,
    async removeChunk(database) {
      const removed = await remove(database);
      return { removed, mayBeMore: removed === chunk };
    },
  };
}

/** Keeps the newest captures of each app. Costs one index lookup for each app, even if there is nothing to remove. */
async function removeExcessCaptures(database: Queryable): Promise<number> {
  const { rowCount } = await database.query({
    text: `DELETE FROM capture WHERE id IN (
             SELECT c.id FROM app a CROSS JOIN LATERAL (
               SELECT id FROM capture WHERE app_id = a.id ORDER BY id DESC OFFSET $1 LIMIT $2
             ) c LIMIT $2)`,
    values: [capturesPerApp, upkeepChunk],
  });
  return rowCount ?? 0;
}

/** Ids start with their creation time, so the primary key finds the oldest; PostgreSQL's clock decides their age. */
async function removeAged(
  database: Queryable,
  table: 'capture' | 'inbox_item',
  olderThanMs: number,
): Promise<number> {
  const { rowCount } = await database.query({
    text: `DELETE FROM ${table} WHERE id IN (
             SELECT id FROM (SELECT id, created_at FROM ${table} ORDER BY id LIMIT $2) oldest
             WHERE created_at <= now() - $1::float8 * interval '1 ms')`,
    values: [olderThanMs, upkeepChunk],
  });
  return rowCount ?? 0;
}

/** A provider account that is shared with other systems also reports about their messages. */
async function removeStrayReceipts(database: Queryable, retentionDays: number): Promise<number> {
  const { rowCount } = await database.query({
    text: `DELETE FROM receipt WHERE id IN (
             SELECT r.id FROM receipt r JOIN app a ON a.id = r.app_id
             WHERE r.message_id IS NULL AND ${isPastRetention('r.received_at', '$1')} LIMIT $2)`,
    values: [retentionDays, upkeepChunk],
  });
  return rowCount ?? 0;
}

async function removeDeadHeartbeats(database: Queryable): Promise<number> {
  const { rowCount } = await database.query({
    text: `DELETE FROM worker_heartbeat WHERE heartbeat_at <= now() - $1::float8 * interval '1 ms'`,
    values: [heartbeatMs],
  });
  return rowCount ?? 0;
}

/** Also removes their lists of messages, each of which has a few thousand at most. */
async function removeOldResends(database: Queryable, retentionDays: number): Promise<number> {
  const { rowCount } = await database.query({
    text: `DELETE FROM resend WHERE id IN (
             SELECT r.id FROM resend r JOIN app a ON a.id = r.app_id
             WHERE ${isPastRetention('r.finished_at', '$1')} ORDER BY r.id LIMIT 1)`,
    values: [retentionDays],
  });
  return rowCount ?? 0;
}
