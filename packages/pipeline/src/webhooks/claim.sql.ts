import type pg from 'pg';
import type { WebhookFacts } from './event';
import { selectWebhookFacts } from './facts.sql';

/** A delivery that this process may try now. */
export type ClaimedDelivery = {
  id: string;
  endpointId: string;
  appId: string;
  type: string;
  occurredAt: Date;
  data: Record<string, unknown>;
  facts: WebhookFacts | null;
  /** Failed tries so far. */
  failures: number;
  /** End of the lease: then any process may try it again. */
  leasedUntil: Date;
  url: string;
  /** Sealed; see `openWebhookSecrets`. */
  secrets: string;
  /** Whether the previous secret signs too. */
  hasPreviousSecret: boolean;
};

export type ClaimOptions = {
  /** How many deliveries to claim. */
  limit: number;
  /** Deliveries of one endpoint at once. */
  perEndpoint: number;
  /** Running tries of this process by endpoint. */
  running: ReadonlyMap<string, number>;
  leaseMs: number;
};

/** After this many failures in a row, the deliveries of an endpoint wait, and one probes it now and then. */
export const circuitOpensAfter = 5;

/** Claims due deliveries, for all endpoints in turn: the first of each endpoint, then the second of each. */
export async function claimDeliveries(
  pool: pg.Pool,
  { limit, perEndpoint, running, leaseMs }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    name: 'claim-webhooks',
    text: statement,
    values: [[...running.keys()], [...running.values()], perEndpoint, limit, leaseMs],
  });
  return rows;
}

// A lease is `next_at` in the future: when it ends, the delivery is due again.
const statement = `
WITH ready AS (
  SELECT e.id, e.failures_in_row >= ${circuitOpensAfter} AS is_probe, coalesce(b.running, 0) AS running
  FROM webhook_endpoint e LEFT JOIN unnest($1::uuid[], $2::int[]) b (id, running) ON b.id = e.id
  WHERE e.disabled_at IS NULL AND (e.circuit_open_until IS NULL OR e.circuit_open_until <= now())
), due AS MATERIALIZED (
  SELECT d.id, e.id AS endpoint_id, e.is_probe, d.next_at,
    e.running + row_number() OVER (PARTITION BY e.id ORDER BY d.next_at) AS place
  FROM ready e CROSS JOIN LATERAL (
    SELECT w.id, w.next_at FROM webhook_delivery w
    WHERE w.endpoint_id = e.id AND w.outcome = 'waiting' AND w.next_at <= now()
    ORDER BY w.next_at LIMIT CASE WHEN e.is_probe THEN 1 ELSE greatest($3::int - e.running, 0) END
    FOR UPDATE SKIP LOCKED
  ) d
), chosen AS (
  SELECT id, endpoint_id, is_probe FROM due ORDER BY place, next_at LIMIT $4::int
), probed AS (
  -- No other delivery of the endpoint is tried beside the probe.
  UPDATE webhook_endpoint SET circuit_open_until = now() + $5::float8 * interval '1 ms'
  WHERE id IN (SELECT endpoint_id FROM chosen WHERE is_probe)
), claimed AS (
  UPDATE webhook_delivery w SET next_at = now() + $5::float8 * interval '1 ms'
  FROM chosen c WHERE w.id = c.id
  RETURNING w.*
)
SELECT d.id, d.endpoint_id AS "endpointId", d.app_id AS "appId", d.type, d.occurred_at AS "occurredAt", d.data, d.failures,
  d.next_at AS "leasedUntil", e.url, e.secrets, coalesce(e.previous_secret_ends_at > now(), false) AS "hasPreviousSecret",
  ${selectWebhookFacts('d')} AS facts
FROM claimed d JOIN webhook_endpoint e ON e.id = d.endpoint_id`;
