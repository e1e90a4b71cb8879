import { inTransaction, type Queryable, writeAudit } from '@belfry/database';
import type { WebhookDisabledReason, WebhookTry } from '@belfry/shared';
import type pg from 'pg';
import { type ClaimedDelivery, circuitOpensAfter } from './claim.sql';
import { maxRetryAfterMs } from './schedule';

/** Tries kept with a delivery. Ten are regular; an operator may resend it. */
const triesKept = 20;
/** An endpoint whose tries all failed for this long is disabled. */
const failingDays = 5;
const firstCircuitSeconds = 30;
const longestCircuitSeconds = 600;

/** SQL for the tries of `w` with the one in $2, the oldest dropped. */
const appendTry = `(
    SELECT jsonb_agg(kept.entry ORDER BY kept.number) FROM (
      SELECT t.entry, t.number FROM jsonb_array_elements(w.tries || $2::jsonb) WITH ORDINALITY t (entry, number)
      ORDER BY t.number DESC LIMIT ${triesKept}) kept)`;

/** Counts even if the lease ended meanwhile: the receiver has the webhook. */
export async function recordSuccess(
  pool: pg.Pool,
  { id, endpointId }: Pick<ClaimedDelivery, 'id' | 'endpointId'>,
  entry: WebhookTry,
): Promise<void> {
  await pool.query({
    name: 'record-webhook-success',
    text: `WITH delivered AS (
             UPDATE webhook_delivery w SET outcome = 'delivered', next_at = NULL, tries = ${appendTry}
             WHERE w.id = $1 AND w.outcome <> 'delivered')
           UPDATE webhook_endpoint SET failures_in_row = 0, failing_since = NULL, last_error = NULL, circuit_open_until = NULL
           WHERE id = $3 AND failures_in_row > 0`,
    values: [id, JSON.stringify([entry]), endpointId],
  });
}

export type Failure = {
  entry: WebhookTry;
  /** Undefined if it was the last try. */
  waitMs: number | undefined;
  /** The wait that the receiver asked for. It holds for all deliveries of the endpoint. */
  retryAfterMs: number | undefined;
  isGone: boolean;
};

export type RecordedFailure = {
  outcome: 'waiting' | 'failed';
  /** Why the endpoint was disabled, if it was now. */
  disabledReason: WebhookDisabledReason | undefined;
};

/** Schedules the next try, or ends the delivery. Undefined if the lease ended meanwhile: then another try decides. */
export async function recordFailure(
  pool: pg.Pool,
  delivery: ClaimedDelivery,
  failure: Failure,
): Promise<RecordedFailure | undefined> {
  const { entry, waitMs, isGone } = failure;
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ outcome: 'waiting' | 'failed' }>({
      name: 'record-webhook-failure',
      text: failureStatement,
      values: [
        ...[delivery.id, JSON.stringify([entry]), delivery.leasedUntil],
        ...[isGone ? null : (waitMs ?? null)],
      ],
    });
    const [row] = rows;
    if (!row) return undefined;
    const disabledReason = await countFailure(client, delivery, failure);
    return { outcome: row.outcome, disabledReason };
  });
}

// A try after `ends_at` would be later than promised.
const failureStatement = `
WITH next AS (
  SELECT w.id, CASE WHEN now() + $4::float8 * interval '1 ms' < w.ends_at THEN now() + $4::float8 * interval '1 ms' END AS at
  FROM webhook_delivery w WHERE w.id = $1
)
UPDATE webhook_delivery w SET failures = w.failures + 1, tries = ${appendTry}, next_at = n.at,
  outcome = CASE WHEN n.at IS NULL THEN 'failed' ELSE 'waiting' END
FROM next n WHERE w.id = n.id AND w.outcome = 'waiting' AND w.next_at = $3
RETURNING w.outcome`;

/** Counts the failure for the circuit of the endpoint, and disables it if it is gone or failed for too long. */
async function countFailure(
  client: Queryable,
  { endpointId, url }: ClaimedDelivery,
  { entry: { error }, retryAfterMs, isGone }: Failure,
): Promise<WebhookDisabledReason | undefined> {
  const { rows } = await client.query<DisabledRow>({
    name: 'count-webhook-failure',
    text: countStatement,
    values: [endpointId, url, error, isGone, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)],
  });
  const [row] = rows;
  if (!row?.disabledReason) return undefined;
  const { accountId, appId, disabledReason } = row;
  const actor = { accountId, appId, operatorId: undefined, by: 'Belfry' };
  const change = { reason: disabledReason, error };
  await writeAudit(client, actor, { action: 'webhook.disabled', subject: endpointId, change });
  return disabledReason;
}

type DisabledRow = {
  appId: string;
  accountId: string;
  disabledReason: WebhookDisabledReason | null;
};

// A try of an earlier URL says nothing about the present one. `e.disabled_at` is checked once more after the wait for the row:
// another try may have disabled the endpoint meanwhile, and this one must not change that.
const countStatement = `
UPDATE webhook_endpoint e SET failures_in_row = e.failures_in_row + 1, failing_since = coalesce(e.failing_since, now()),
  last_error = $3,
  circuit_open_until = greatest(
    CASE WHEN $5::float8 > 0 THEN now() + $5::float8 * interval '1 ms' END,
    CASE WHEN e.failures_in_row + 1 >= ${circuitOpensAfter} THEN now() + interval '1 s' *
      least(${firstCircuitSeconds} * power(2, least(e.failures_in_row + 1 - ${circuitOpensAfter}, 10)), ${longestCircuitSeconds}) END),
  disabled_at = CASE WHEN r.reason IS NOT NULL THEN now() END, disabled_reason = r.reason
FROM (
  SELECT w.id, a.account_id, CASE WHEN $4::boolean THEN 'gone'
    WHEN w.failing_since <= now() - interval '${failingDays} days' THEN 'failing' END AS reason
  FROM webhook_endpoint w JOIN app a ON a.id = w.app_id WHERE w.id = $1 AND w.url = $2 AND w.disabled_at IS NULL
) r
WHERE e.id = r.id AND e.disabled_at IS NULL
RETURNING e.app_id AS "appId", r.account_id AS "accountId", e.disabled_reason AS "disabledReason"`;
