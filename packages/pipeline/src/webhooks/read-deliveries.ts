import { type ActorInApp, type Queryable, writeAudit } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  type WebhookDelivery,
  type WebhookDisabledReason,
  type WebhookEvent,
  type WebhookOutcome,
  type WebhookType,
  webhookOutcomes,
  webhookTypes,
} from '@belfry/shared';
import type pg from 'pg';
import { buildWebhookEvent, type WebhookSource } from './event';
import { selectWebhookFacts } from './facts.sql';

export type DeliveryPage = {
  appId: string;
  endpointId: string;
  outcome?: WebhookOutcome | undefined;
  /** The page starts below this ID, which is unchecked but a UUID. */
  before?: string | undefined;
  limit: number;
};

/** A delivery, and its body as the next try would send it. */
export type DeliveryWithEvent = WebhookDelivery & { event: WebhookEvent };

/** Newest first. */
export async function listDeliveries(
  pool: Queryable,
  { appId, endpointId, outcome, before, limit }: DeliveryPage,
): Promise<DeliveryWithEvent[]> {
  const outcomes = outcome ? [outcome] : webhookOutcomes;
  const { rows } = await pool.query<DeliveryRow>(
    `SELECT ${columnsWithFacts} FROM unnest($3::text[]) o (outcome) CROSS JOIN LATERAL (
       SELECT * FROM webhook_delivery w
       WHERE w.endpoint_id = $2 AND w.app_id = $1 AND w.outcome = o.outcome AND w.id < $4
       ORDER BY w.id DESC LIMIT $5
     ) d ORDER BY d.id DESC LIMIT $5`,
    [appId, endpointId, outcomes, before ?? lastId, limit],
  );
  return rows.map(toDelivery);
}

/** Above every version 7 UUID. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

type DeliveryRow = WebhookDelivery & WebhookSource;

const columns =
  'd.id, d.type, d.app_id AS "appId", d.data, d.outcome, d.occurred_at AS "occurredAt", d.next_at AS "nextAt", d.tries';
const columnsWithFacts = `${columns}, ${selectWebhookFacts('d')} AS facts`;

function toDelivery({ appId, data, facts, ...delivery }: DeliveryRow): DeliveryWithEvent {
  const { type, occurredAt } = delivery;
  return { ...delivery, event: buildWebhookEvent({ type, occurredAt, appId, data, facts }) };
}

export type DeliveryAddress = { endpointId: string; id: string };

/** Starts the schedule of a delivery again, whatever its outcome. Undefined if the endpoint has no such delivery. */
export async function resendDelivery(
  client: Queryable,
  actor: ActorInApp,
  { endpointId, id }: DeliveryAddress,
): Promise<DeliveryWithEvent | undefined> {
  const { rows } = await client.query<DeliveryRow>(
    `WITH d AS (
       UPDATE webhook_delivery SET ${startAgain} WHERE id = $3 AND endpoint_id = $2 AND app_id = $1 RETURNING *)
     SELECT ${columnsWithFacts} FROM d`,
    [actor.appId, endpointId, id],
  );
  const [row] = rows;
  if (!row) return undefined;
  await writeAudit(client, actor, {
    action: 'webhook.resent',
    subject: endpointId,
    change: { id },
  });
  return toDelivery(row);
}

const startAgain = `outcome = 'waiting', next_at = now(), ends_at = now() + interval '72 hours', failures = 0`;

/** Deliveries of one call, so that it is short; a second call takes the rest. */
const resentAtOnce = 10_000;

/** Starts the schedule of the failed deliveries of events since then again, oldest first. Returns their number. */
export async function resendFailedDeliveries(
  client: Queryable,
  actor: ActorInApp,
  { endpointId, since }: { endpointId: string; since: Date },
): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE webhook_delivery SET ${startAgain} WHERE id IN (
       SELECT id FROM webhook_delivery
       WHERE app_id = $1 AND endpoint_id = $2 AND outcome = 'failed' AND occurred_at >= $3
       ORDER BY id LIMIT ${resentAtOnce})`,
    [actor.appId, endpointId, since],
  );
  const deliveries = rowCount ?? 0;
  if (deliveries > 0) {
    const change = { since: since.toISOString(), deliveries };
    await writeAudit(client, actor, { action: 'webhook.resent', subject: endpointId, change });
  }
  return deliveries;
}

/** Queues an example of a type for one endpoint, even if it does not get this type. */
export async function queueExample(
  client: Queryable,
  actor: ActorInApp,
  { endpointId, type }: { endpointId: string; type: WebhookType },
): Promise<DeliveryWithEvent> {
  const data = { ...webhookTypes[type].example, test: true };
  const { rows } = await client.query<DeliveryRow>(
    `INSERT INTO webhook_delivery AS d (id, endpoint_id, app_id, type, data) VALUES ($1, $3, $2, $4, $5)
     RETURNING ${columns}, NULL::jsonb AS facts`,
    [newId(), actor.appId, endpointId, type, JSON.stringify(data)],
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL returned no row for an inserted delivery');
  const change = { type };
  await writeAudit(client, actor, { action: 'webhook.example_sent', subject: endpointId, change });
  return toDelivery(row);
}

export type DeliveryCounts = { endpointId: string; waiting: number; failed: number };

const countedTo = 1_000;

const countOutcome = (outcome: WebhookOutcome) => `(
       SELECT count(*)::int FROM (
         SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.id AND d.outcome = '${outcome}' LIMIT ${countedTo}) c)`;

/** The deliveries of each endpoint of an app that wait or failed, each counted up to 1,000. */
export async function countDeliveries(pool: pg.Pool, appId: string): Promise<DeliveryCounts[]> {
  const { rows } = await pool.query<DeliveryCounts>(
    `SELECT e.id AS "endpointId", ${countOutcome('waiting')} AS waiting, ${countOutcome('failed')} AS failed
     FROM webhook_endpoint e WHERE e.app_id = $1`,
    [appId],
  );
  return rows;
}

export type FailingEndpoint = {
  appName: string;
  host: string;
  disabledReason: WebhookDisabledReason | null;
  failingSince: Date | null;
  lastError: string | null;
};

/** Endpoints of all apps that fail or that Belfry disabled, the longest first. */
export async function listFailingEndpoints(
  pool: pg.Pool,
  limit: number,
): Promise<FailingEndpoint[]> {
  const { rows } = await pool.query<FailingEndpoint>(
    `SELECT a.name AS "appName", split_part(e.url, '/', 3) AS host, e.disabled_reason AS "disabledReason",
       e.failing_since AS "failingSince", e.last_error AS "lastError"
     FROM webhook_endpoint e JOIN app a ON a.id = e.app_id
     WHERE e.failing_since IS NOT NULL AND e.disabled_reason IS DISTINCT FROM 'manual'
     ORDER BY e.failing_since LIMIT $1`,
    [limit],
  );
  return rows;
}

export type WebhookTotals = {
  /** Deliveries that wait, with those between two tries. */
  waiting: number;
  /** How long the oldest delivery is due that a worker could try now. */
  oldestSeconds: number;
};

const maxCounted = 100_000;

/** For metrics, over all apps. */
export async function readWebhookTotals(pool: pg.Pool): Promise<WebhookTotals> {
  const { rows } = await pool.query<WebhookTotals>(
    `SELECT (SELECT count(*)::int FROM (SELECT FROM webhook_delivery WHERE outcome = 'waiting' LIMIT ${maxCounted}) w) AS waiting,
       coalesce(max(extract(epoch FROM now() - d.next_at)), 0)::float8 AS "oldestSeconds"
     FROM webhook_endpoint e CROSS JOIN LATERAL (
       SELECT next_at FROM webhook_delivery
       WHERE endpoint_id = e.id AND outcome = 'waiting' AND next_at <= now() ORDER BY next_at LIMIT 1
     ) d
     WHERE e.disabled_at IS NULL AND (e.circuit_open_until IS NULL OR e.circuit_open_until <= now())`,
  );
  return rows[0] ?? { waiting: 0, oldestSeconds: 0 };
}
