import type pg from 'pg';

/** A message that waits for a job. */
export type DueMessage = {
  id: string;
  channel: string;
  isBulk: boolean;
  /** The job it was last given to; undefined where it was never queued since its last attempt. */
  jobId: string | undefined;
};

export type DueOptions = {
  channel: string;
  limit: number;
  /**
   * Undefined lists what has no job. A number lists what was given to a job and has been due for that
   * long since: the job may be gone.
   */
  doubtedAfterMs?: number;
};

/** Due messages of a channel: single sends first, oldest first. */
export async function listDueMessages(
  pool: pg.Pool,
  { channel, limit, doubtedAfterMs }: DueOptions,
): Promise<DueMessage[]> {
  const isDoubt = doubtedAfterMs !== undefined;
  const { rows } = await pool.query<DueRow>({
    name: isDoubt ? 'list-doubted-messages' : 'list-due-messages',
    text: `SELECT id, channel, is_bulk, job_id FROM message
           WHERE channel = $1 AND state = 'queued' AND due_at IS NOT NULL
             AND due_at <= now() - $3::float8 * interval '1 ms'
             AND job_id IS ${isDoubt ? 'NOT NULL' : 'NULL'}
           ORDER BY is_bulk, due_at LIMIT $2`,
    values: [channel, limit, doubtedAfterMs ?? 0],
  });
  return rows.map((row) => ({
    id: row.id,
    channel: row.channel,
    isBulk: row.is_bulk,
    jobId: row.job_id ?? undefined,
  }));
}

type DueRow = { id: string; channel: string; is_bulk: boolean; job_id: string | null };

export type JobAssignment = { id: string; jobId: string; previousJobId: string | undefined };

/**
 * Writes each message's new job, unless another relay or a worker was faster; the ids that were
 * written. Rows that somebody holds are left for the next turn.
 */
export async function assignJobs(pool: pg.Pool, jobs: JobAssignment[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'assign-jobs',
    text: `WITH t AS (
             SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) t (id, job_id, previous_job_id)
           ), free AS (
             SELECT m.id FROM message m JOIN t ON t.id = m.id
             WHERE m.id = ANY ($1::uuid[]) AND m.state = 'queued' AND m.due_at <= now()
               AND m.job_id IS NOT DISTINCT FROM t.previous_job_id
             ORDER BY m.id FOR UPDATE OF m SKIP LOCKED
           )
           UPDATE message m SET job_id = t.job_id FROM t JOIN free USING (id)
           WHERE m.id = t.id AND m.id = ANY ($1::uuid[])
           RETURNING m.id`,
    values: [
      jobs.map((job) => job.id),
      jobs.map((job) => job.jobId),
      jobs.map((job) => job.previousJobId),
    ],
  });
  return new Set(rows.map((row) => row.id));
}

/** A message whose lease ran out: nobody can know whether its attempt was sent. */
export type ExpiredLease = {
  id: string;
  attempt: number;
  channel: string;
  versionId: string;
  unknownCount: number;
  integrationId: string | undefined;
};

export async function listExpiredLeases(pool: pg.Pool, limit: number): Promise<ExpiredLease[]> {
  const { rows } = await pool.query<{
    id: string;
    attempts: number;
    channel: string;
    version_id: string;
    unknown_count: number;
    integration_id: string | null;
  }>({
    name: 'list-expired-leases',
    text: `SELECT m.id, m.attempts, m.channel, r.version_id, m.unknown_count, m.integration_id
           FROM message m JOIN request r ON r.id = m.request_id
           WHERE m.state = 'sending' AND m.due_at IS NOT NULL AND m.due_at <= now()
           ORDER BY m.due_at LIMIT $1`,
    values: [limit],
  });
  return rows.map((row) => ({
    id: row.id,
    attempt: row.attempts,
    channel: row.channel,
    versionId: row.version_id,
    unknownCount: row.unknown_count,
    integrationId: row.integration_id ?? undefined,
  }));
}

/** Requests with items that are still to be planned, for at least `olderThanMs`. */
export async function listUnplannedRequests(
  pool: pg.Pool,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'list-unplanned-requests',
    text: `SELECT r.id FROM request r
           WHERE r.id IN (SELECT request_id FROM request_item WHERE planned_at IS NULL)
             AND r.created_at <= now() - $1::float8 * interval '1 ms'
           ORDER BY r.id LIMIT $2`,
    values: [olderThanMs, limit],
  });
  return rows.map((row) => row.id);
}

/** PostgreSQL's own start time: a lease must not run out while PostgreSQL was away. */
export async function readServerStart(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ started: string }>(
    `SELECT pg_postmaster_start_time()::text AS started`,
  );
  return rows[0]?.started ?? '';
}
