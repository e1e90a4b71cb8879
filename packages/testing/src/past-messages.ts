import { randomBytes } from 'node:crypto';
import type { Database } from '@belfry/database';
import type { Tenant } from './factories';

/** A message of a single send that was accepted in the past. */
export type PastMessage = {
  acceptedAt: number;
  channel: string;
  state: string;
  reason?: string;
  /** Time from acceptance to the first call; absent without a call. */
  firstCallMs?: number;
};

type Place = { database: Database; tenant: Tenant; event: { eventId: string; versionId: string } };

/** Writes each message with a request of its own, whose id has its time. Returns the ids. */
export async function writePastMessages(
  { database, tenant, event }: Place,
  messages: readonly PastMessage[],
): Promise<{ requestId: string; messageId: string }[]> {
  const ids = messages.map(({ acceptedAt }) => ({
    requestId: createIdAt(acceptedAt),
    messageId: createIdAt(acceptedAt),
  }));
  const times = messages.map(({ acceptedAt }) => new Date(acceptedAt));
  const requestIds = ids.map(({ requestId }) => requestId);
  const messageIds = ids.map(({ messageId }) => messageId);
  await database.delivery.query(
    `WITH r AS (
       INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, created_at)
       SELECT id, $3, $4, $5, $6, 'single', 1, 1, at FROM unnest($1::uuid[], $2::timestamptz[]) t (id, at)
     )
     INSERT INTO request_item (request_id, item, planned_at) SELECT id, 0, now() FROM unnest($1::uuid[]) t (id)`,
    [requestIds, times, tenant.accountId, tenant.appId, event.eventId, event.versionId],
  );
  await database.delivery.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, state, reason, attempts, created_at, expires_at, due_at)
     SELECT id, request_id, 0, $1, channel, 'target', state, reason, CASE WHEN ms IS NULL THEN 0 ELSE 1 END, at,
       at + interval '30 days', CASE WHEN state IN ('queued', 'sending') THEN at + interval '29 days' END
     FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::float8[])
       t (id, request_id, at, channel, state, reason, ms)`,
    [tenant.appId, messageIds, requestIds, times, ...readColumns(messages)],
  );
  await database.delivery.query(
    `INSERT INTO attempt (message_id, number, opened_at)
     SELECT id, 1, at + ms * interval '1 ms' FROM unnest($1::uuid[], $2::timestamptz[], $3::float8[]) t (id, at, ms)
     WHERE ms IS NOT NULL`,
    [messageIds, times, messages.map(({ firstCallMs }) => firstCallMs)],
  );
  return ids;
}

function readColumns(messages: readonly PastMessage[]): unknown[] {
  return [
    messages.map(({ channel }) => channel),
    messages.map(({ state }) => state),
    messages.map(({ reason }) => reason),
    messages.map(({ firstCallMs }) => firstCallMs),
  ];
}

/** A version 7 UUID of this time. */
function createIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
