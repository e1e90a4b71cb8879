import { selectTerms } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { channelVersion } from '@belfry/testing';
import type { StoredDashboard } from './stored-dashboard.fixture';

export type RequestOptions = {
  event: { eventId: string; versionId: string };
  channel?: string;
  target?: string;
  state?: string;
  reason?: string;
  provider?: string;
  outcome?: string;
  key?: string;
  user?: object;
  skips?: object;
  metadata?: Record<string, string>;
  cancelKey?: string;
  appId?: string;
  providerMessageId?: string;
};

/** A request of one item with one message, as written by the accept step and a worker. */
export async function insertRequest(
  dashboard: StoredDashboard,
  options: RequestOptions,
): Promise<{ requestId: string; messageId: string }> {
  const { database, tenant } = dashboard;
  const {
    event,
    channel = 'email',
    target = 'ana@example.com',
    state = 'sent',
    user,
    skips,
  } = options;
  const [requestId, messageId] = [newId(), newId()];
  await database.lookUps.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, idempotency_key)
     VALUES ($1, $2, $3, $4, $5, 'single', 1, 1, $6)`,
    [
      requestId,
      tenant.accountId,
      options.appId ?? tenant.appId,
      event.eventId,
      event.versionId,
      options.key,
    ],
  );
  await database.lookUps.query(
    `INSERT INTO request_item (request_id, item, recipient, data, skips, planned_at, metadata, cancel_key)
     VALUES ($1, 0, $2, '{}', $3, now(), $4, $5)`,
    [
      requestId,
      JSON.stringify(user ?? { email: target }),
      skips && JSON.stringify(skips),
      options.metadata && JSON.stringify(options.metadata),
      options.cancelKey,
    ],
  );
  await database.lookUps.query(
    `INSERT INTO request_term SELECT DISTINCT $2::uuid, s.term, i.request_id
     FROM request_item i CROSS JOIN LATERAL (${selectTerms('i')}) s WHERE i.request_id = $1`,
    [requestId, options.appId ?? tenant.appId],
  );
  await database.lookUps.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, state, reason, attempts, created_at, expires_at, settled_at)
     VALUES ($1, $2, 0, $3, $4, $5, $6, $7, 1, now() - interval '2 s', now() + interval '1 day', now() + interval '1 s')`,
    [messageId, requestId, options.appId ?? tenant.appId, channel, target, state, options.reason],
  );
  await database.lookUps.query(
    `INSERT INTO attempt (message_id, number, opened_at, closed_at, provider, outcome, reason, detail, request, response, provider_message_id)
     VALUES ($1, 1, now() - interval '1 s', now(), $2, $3, $4, 'The bot is not a member of #orders.', '{"operation":"POST chat.postMessage"}', '{"ok":false}', $5)`,
    [
      messageId,
      options.provider ?? 'smtp',
      options.outcome ?? 'accepted',
      options.reason,
      options.providerMessageId,
    ],
  );
  return { requestId, messageId };
}

export async function createLogEvent(dashboard: StoredDashboard, name?: string) {
  const { factories, tenant } = dashboard;
  const channels = {
    email: channelVersion({ subject: 'x', html: 'x' }),
    slack: channelVersion({ text: 'x' }),
  };
  return factories.createEvent(tenant, channels, name ? { name } : {});
}
