import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type { Tenant } from './factories';

export type Backlog = {
  tenant: Tenant;
  event: { eventId: string; versionId: string };
  channel: string;
  integrationId?: string;
  messages: number;
  isBulk: boolean;
};

/** Inserts accepted messages without jobs in one statement, as if one request had been planned. */
export async function writeBacklog({ delivery }: Database, backlog: Backlog): Promise<string> {
  const { tenant, event, channel, integrationId, messages, isBulk } = backlog;
  const requestId = newId();
  await delivery.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [
      requestId,
      tenant.accountId,
      tenant.appId,
      event.eventId,
      event.versionId,
      isBulk ? 'bulk' : 'single',
      messages,
    ],
  );
  for (let from = 0; from < messages; from += rowsPerStatement) {
    const to = Math.min(from + rowsPerStatement, messages) - 1;
    await delivery.query(itemsStatement, [requestId, from, to]);
    await delivery.query(messagesStatement, [
      requestId,
      from,
      to,
      tenant.appId,
      channel,
      integrationId ?? null,
      isBulk,
    ]);
  }
  return requestId;
}

/** Rows that a busy machine inserts well within the statement timeout. */
const rowsPerStatement = 5_000;

const itemsStatement = `
INSERT INTO request_item (request_id, item, recipient, planned_at)
SELECT $1, n, '{}', now() FROM generate_series($2::int, $3::int) n`;

const messagesStatement = `
INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, due_at, expires_at, is_bulk)
SELECT gen_random_uuid(), $1, n, $4, $5, '+12025' || lpad(n::text, 6, '0'), $6, now(), now() + interval '1 day', $7
FROM generate_series($2::int, $3::int) n`;
