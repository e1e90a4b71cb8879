import {
  createAccountApps,
  createWebhookEndpoints,
  inTransaction,
  type Queryable,
  readAuditNames,
} from '@belfry/database';
import { webhookTypeNames } from '@belfry/shared';
import { type ClaimedDelivery, claimDeliveries } from '../webhooks/claim.sql';
import { completeRequests } from '../webhooks/complete-requests.sql';
import { queueWebhook } from '../webhooks/queue.sql';
import {
  countDeliveries,
  listDeliveries,
  listFailingEndpoints,
  queueExample,
  readWebhookTotals,
  resendDelivery,
  resendFailedDeliveries,
} from '../webhooks/read-deliveries';
import { recordFailure, recordSuccess } from '../webhooks/record.sql';
import { send, type World } from './world.fixture';

const endpoint = {
  url: 'https://receiver.example/hooks',
  types: webhookTypeNames,
  description: '',
};

/** An endpoint with a delivery of each kind of event. */
export async function useWebhooks(world: World): Promise<void> {
  const { database, secrets, actor, accountId, appId, alter } = world;
  const pool = database.lookUps;
  const inApp = { ...actor, appId };
  const change = <T>(work: (client: Queryable) => Promise<T>) => inTransaction(pool, work);
  const endpoints = createWebhookEndpoints({ pool, secrets });
  const ids: string[] = [];
  for (const _each of [1, 2, 3]) {
    const created = await change((client) => endpoints.create(client, inApp, endpoint));
    if (created !== 'full') ids.push(created.endpoint.id);
  }
  const [id = '', removed = '', gone = ''] = ids;
  await endpoints.list(appId);
  await endpoints.find(appId, id);
  await change((client) => endpoints.change(client, inApp, { id, description: 'Orders' }));
  await change((client) => endpoints.rotateSecret(client, inApp, id));
  await change((client) => endpoints.remove(client, inApp, removed));
  await queueEachKind(world);
  await queueWebhook(pool, { appId, type: 'alert.fired', data: {} });
  await completeRequests(database.delivery);
  await useDeliveries(world, id);
  await change((client) => queueExample(client, inApp, { endpointId: id, type: 'message.sent' }));
  await useResults(world, gone);
  await listFailingEndpoints(pool, 9);
  await readAuditNames(pool, accountId, [id]);
  // Later statements then queue no webhooks.
  await alter(`UPDATE webhook_endpoint SET disabled_at = now(), disabled_reason = 'gone'`);
  await createAccountApps(pool).list(accountId);
}

/** Changes rows of each kind, so that the triggers queue a webhook. */
async function queueEachKind({ alter, appId, ...world }: World): Promise<void> {
  const { requestId, messageId } = await send({ alter, appId, ...world });
  await alter(`UPDATE message SET state = 'failed', due_at = NULL WHERE id = $1`, [messageId]);
  await alter(
    `UPDATE device SET notifications_disabled = true, disabled_reason = 'UNREGISTERED' WHERE id IN (
       SELECT d.id FROM device d JOIN app_user u ON u.id = d.user_sid WHERE d.app_id = $1 LIMIT 1)`,
    [appId],
  );
  await alter(
    `INSERT INTO suppression (id, app_id, channel, recipient, reason)
     VALUES (gen_random_uuid(), $1, 'email', 'webhook@example.com', 'manual')`,
    [appId],
  );
  await alter(`UPDATE integration SET state = 'active' WHERE app_id = $1 AND deleted_at IS NULL`, [
    appId,
  ]);
  await alter(
    `UPDATE integration SET state = 'needs_attention' WHERE app_id = $1 AND deleted_at IS NULL`,
    [appId],
  );
  await alter(`INSERT INTO webhook_completion (request_id, app_id) VALUES ($1, $2)`, [
    requestId,
    appId,
  ]);
}

async function useDeliveries({ database, actor, appId }: World, endpointId: string): Promise<void> {
  const pool = database.lookUps;
  const inApp = { ...actor, appId };
  const deliveries = await listDeliveries(pool, { appId, endpointId, limit: 50 });
  for (const { id } of deliveries) {
    await inTransaction(pool, (client) => resendDelivery(client, inApp, { endpointId, id }));
  }
  await countDeliveries(pool, appId);
  await readWebhookTotals(pool);
}

/** The first delivery of each type succeeds, the next one fails. */
async function useResults(world: World, goneId: string): Promise<void> {
  const { database, actor, appId, alter } = world;
  const pool = database.delivery;
  const options = {
    limit: 50,
    perEndpoint: 50,
    running: new Map<string, number>(),
    leaseMs: 60_000,
  };
  await alter('UPDATE webhook_endpoint SET failures_in_row = 1');
  const claimed = await claimDeliveries(pool, options);
  const entry = { at: 0, ms: 1, error: 'HTTP status 500.' };
  const [first, second, third] = claimed.filter(({ endpointId }) => endpointId !== goneId);
  const last = claimed.find(({ endpointId }) => endpointId === goneId);
  const fail = (delivery: ClaimedDelivery | undefined, isGone: boolean, waitMs?: number) =>
    delivery && recordFailure(pool, delivery, { entry, waitMs, retryAfterMs: 0, isGone });
  if (first) await recordSuccess(pool, first, entry);
  await fail(second, false, 1_000);
  await fail(third, false);
  await fail(last, true);
  await alter(`UPDATE webhook_endpoint SET failures_in_row = 9, failing_since = now(), circuit_open_until = now() - interval '1 s',
    disabled_at = NULL, disabled_reason = NULL`);
  await alter(
    `UPDATE webhook_delivery SET next_at = now() - interval '1 s' WHERE outcome = 'waiting'`,
  );
  await claimDeliveries(pool, options);
  const since = { endpointId: third?.endpointId ?? '', since: new Date(0) };
  await inTransaction(database.lookUps, (client) =>
    resendFailedDeliveries(client, { ...actor, appId }, since),
  );
}
