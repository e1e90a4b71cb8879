import type { HealthFacts } from '@belfry/shared';
import { storable } from '../storable';
import type { Queryable } from '../transaction';

/** An integration as it was used. `updatedAt` changes with each save, so it tells results of older settings apart. */
export type IntegrationRevision = { integrationId: string; updatedAt: Date };

/** Results of an integration since a process last wrote them, or of one connection test. */
export type IntegrationResults = IntegrationRevision & {
  /** Attempts. A connection test is none. */
  succeeded: number;
  failed: number;
  /** Failures since the last success. */
  failuresInRow: number;
  successMsAgo: number | undefined;
  failureMsAgo: number | undefined;
  error: string | undefined;
  /** How long the circuit stays open, if it opened since the last success. Negative after a long outage. */
  circuitOpenMs: number | undefined;
};

/** Length of one time slot of the counts. */
const slotMinutes = 5;
const maxErrorCharacters = 1_000;

/**
 * Adds to the current slot, by PostgreSQL's clock, and replaces the last results. Leaves out results of settings that were
 * saved over since. The lock makes it wait for a save in progress, and a save wait for it.
 */
export async function writeIntegrationResults(
  database: Queryable,
  results: readonly IntegrationResults[],
): Promise<void> {
  const list = <Value>(read: (each: IntegrationResults) => Value) => results.map(read);
  await database.query({
    name: 'write-integration-results',
    // Sorted, so that two processes cannot deadlock.
    text: `WITH result AS (
      SELECT r.* FROM unnest($1::uuid[], $2::timestamptz[], $3::int[], $4::int[], $5::int[], $6::float8[], $7::float8[], $8::text[], $9::float8[])
        r (id, updated_at, succeeded, failed, failures_in_row, success_ms, failure_ms, error, circuit_ms)
      JOIN integration i ON i.id = r.id AND i.updated_at = r.updated_at
      ORDER BY i.id FOR SHARE OF i
    ), counted AS (
      INSERT INTO integration_count (integration_id, at, succeeded, failed)
      SELECT id, date_bin('${slotMinutes} minutes', now(), 'epoch'), succeeded, failed FROM result
      WHERE succeeded + failed > 0 ORDER BY id
      ON CONFLICT (integration_id, at) DO UPDATE SET succeeded = integration_count.succeeded + excluded.succeeded,
        failed = integration_count.failed + excluded.failed
    )
    INSERT INTO integration_health (integration_id, last_success_at, last_failure_at, last_error, failures_in_row, circuit_open_until)
    SELECT id, now() - success_ms * interval '1 ms', now() - failure_ms * interval '1 ms', error, failures_in_row,
      now() + circuit_ms * interval '1 ms' FROM result ORDER BY id
    ON CONFLICT (integration_id) DO UPDATE SET
      last_success_at = greatest(integration_health.last_success_at, excluded.last_success_at),
      last_failure_at = greatest(integration_health.last_failure_at, excluded.last_failure_at),
      last_error = coalesce(excluded.last_error, integration_health.last_error),
      failures_in_row = excluded.failures_in_row
        + CASE WHEN excluded.last_success_at IS NULL THEN integration_health.failures_in_row ELSE 0 END,
      circuit_open_until = coalesce(excluded.circuit_open_until,
        CASE WHEN excluded.last_success_at IS NULL THEN integration_health.circuit_open_until END)`,
    values: [
      list(({ integrationId }) => integrationId),
      list(({ updatedAt }) => updatedAt),
      list(({ succeeded }) => succeeded),
      list(({ failed }) => failed),
      list(({ failuresInRow }) => failuresInRow),
      list(({ successMsAgo }) => successMsAgo ?? null),
      list(({ failureMsAgo }) => failureMsAgo ?? null),
      list(({ error }) => storable(error)?.slice(0, maxErrorCharacters) ?? null),
      list(({ circuitOpenMs }) => circuitOpenMs ?? null),
    ],
  });
}

/** The result of a test of a stored integration. */
export async function writeTestResult(
  database: Queryable,
  revision: IntegrationRevision,
  { isWorking, detail }: { isWorking: boolean; detail: string },
): Promise<void> {
  const none = { succeeded: 0, failed: 0, circuitOpenMs: undefined };
  const result = isWorking
    ? { failuresInRow: 0, successMsAgo: 0, failureMsAgo: undefined, error: undefined }
    : { failuresInRow: 1, successMsAgo: undefined, failureMsAgo: 0, error: detail };
  await writeIntegrationResults(database, [{ ...revision, ...none, ...result }]);
}

/** Whether the mail server signed the mail of a connection test, as a sentence. */
export async function writeMailSignature(
  database: Queryable,
  { integrationId, signature }: { integrationId: string; signature: string },
): Promise<void> {
  await database.query(
    `INSERT INTO integration_health (integration_id, failures_in_row, mail_signature)
     SELECT id, 0, $2 FROM integration WHERE id = $1 AND deleted_at IS NULL
     ON CONFLICT (integration_id) DO UPDATE SET mail_signature = excluded.mail_signature`,
    [integrationId, signature],
  );
}

/** Makes the integration untested: what is known about it belongs to settings that are saved over now. */
export async function clearHealth(client: Queryable, integrationId: string): Promise<void> {
  await client.query(
    `WITH counts AS (DELETE FROM integration_count WHERE integration_id = $1)
     DELETE FROM integration_health WHERE integration_id = $1`,
    [integrationId],
  );
}

export type IntegrationHealth = Omit<HealthFacts, 'state'> & {
  lastFailureAt: Date | null;
  lastError: string | null;
  mailSignature: string | null;
};

/** For a row `i` of `integration`: at most 13 rows by the primary keys of both tables. */
export const joinHealth = `LEFT JOIN integration_health h ON h.integration_id = i.id
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(c.succeeded), 0)::int AS succeeded, coalesce(sum(c.failed), 0)::int AS failed
         FROM integration_count c WHERE c.integration_id = i.id AND c.at > now() - interval '1 hour'
       ) n`;

export const selectHealth = `h.last_success_at AS "lastSuccessAt", h.last_failure_at AS "lastFailureAt", h.last_error AS "lastError",
         h.mail_signature AS "mailSignature",
         coalesce(h.failures_in_row, 0) AS "failuresInRow", h.circuit_open_until AS "circuitOpenUntil", n.succeeded, n.failed`;

/** Removes counts that are no longer shown. The table has at most 13 rows per integration. */
export async function removeOldIntegrationCounts(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM integration_count WHERE at < now() - interval '65 minutes'`,
  );
  return rowCount ?? 0;
}
