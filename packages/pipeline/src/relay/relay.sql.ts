import type pg from 'pg';
import { dropSettledTexts } from '../accept/sealed-items';
import { isDue } from '../deliver/waiting-message.sql';

/** A message whose job may be lost. */
export type DoubtedMessage = {
  id: string;
  appId: string;
  isBulk: boolean;
  integrationId: string | undefined;
  jobId: string;
};

export type DoubtOptions = {
  channel: string;
  limit: number;
  /** How long the messages have been due. */
  dueForMs: number;
};

/** Lists messages of a channel that have a job and were not claimed: single sends first, oldest first. */
export async function listDoubtedMessages(
  pool: pg.Pool,
  { channel, limit, dueForMs }: DoubtOptions,
): Promise<DoubtedMessage[]> {
  const { rows } = await pool.query<{
    id: string;
    app_id: string;
    is_bulk: boolean;
    integration_id: string | null;
    job_id: string;
  }>({
    name: 'list-doubted-messages',
    text: `SELECT id, app_id, is_bulk, integration_id, job_id FROM message
           WHERE channel = $1 AND state = 'queued' AND has_job
             AND due_at <= now() - $3::float8 * interval '1 ms'
           ORDER BY is_bulk, due_at LIMIT $2`,
    values: [channel, limit, dueForMs],
  });
  return rows.map((row) => ({
    id: row.id,
    appId: row.app_id,
    isBulk: row.is_bulk,
    integrationId: row.integration_id ?? undefined,
    jobId: row.job_id,
  }));
}

export type JobAssignment = { id: string; jobId: string; previousJobId: string };

/**
 * Writes each message's new job id, unless another relay or a worker changed it first. Returns the ids that were written.
 * Skips locked rows; the next run takes them.
 */
export async function replaceJobs(pool: pg.Pool, jobs: JobAssignment[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'replace-jobs',
    text: `WITH t AS (
             SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) t (id, job_id, previous_job_id)
           ), free AS (
             SELECT m.id FROM message m JOIN t ON t.id = m.id
             WHERE m.id = ANY ($1::uuid[]) AND m.state = 'queued' AND ${isDue('m')}
               AND m.job_id = t.previous_job_id
             FOR UPDATE OF m SKIP LOCKED
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

/** A job that is still in a queue although none of its messages is queued. */
export type EndedJob = { channel: string; jobId: string };

export type ExpiredMessages = { messages: number; jobs: EndedJob[] };

/**
 * Fails queued messages that have expired, whether or not a worker of their channel runs. Messages that are being sent are
 * left to their lease.
 */
export async function expireWaiting(pool: pg.Pool, limit: number): Promise<ExpiredMessages> {
  const { rows } = await pool.query<ExpiredRow>({
    name: 'expire-waiting',
    text: `WITH waiting AS (
             SELECT id FROM message
             WHERE waiting_at IS NOT NULL AND expires_at <= now() AND state = 'queued'
             ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
           ), queued AS (
             SELECT id FROM message
             WHERE has_job AND expires_at <= now() AND state = 'queued'
             LIMIT $1 FOR UPDATE SKIP LOCKED
           ), ended AS (
             UPDATE message m SET state = 'failed', reason = 'expired', waits = NULL, due_at = NULL, settled_at = now()
             WHERE m.id IN (SELECT id FROM waiting UNION ALL SELECT id FROM queued) AND m.state = 'queued'
             RETURNING m.id, m.channel, m.job_id
           ), shared AS (
             -- The job may have other messages that still wait: removing it would only force requeuing them.
             SELECT DISTINCT job_id FROM message
             WHERE has_job AND job_id IN (SELECT job_id FROM ended)
               AND id NOT IN (SELECT id FROM ended)
           )
           SELECT e.id, e.channel, e.job_id, s.job_id IS NULL AS is_over FROM ended e LEFT JOIN shared s ON s.job_id = e.job_id`,
    values: [limit],
  });
  if (rows.length > 0)
    await dropSettledTexts(
      pool,
      rows.map(({ id }) => id),
    );
  const jobs = new Map(
    rows.flatMap(({ channel, job_id: jobId, is_over: isOver }) =>
      jobId && isOver ? [[jobId, { channel, jobId }]] : [],
    ),
  );
  return { messages: rows.length, jobs: [...jobs.values()] };
}

type ExpiredRow = { id: string; channel: string; job_id: string | null; is_over: boolean };

/** A message whose lease expired: unknown whether its attempt was sent. */
export type ExpiredLease = {
  id: string;
  attempt: number;
  channel: string;
  versionId: string;
  unknownCount: number;
  integrationId: string | undefined;
};

export type ExpiredLeaseOptions = {
  limit: number;
  /**
   * For how long workers have been able to record results. A lease longer than that may have ended while its worker knew the
   * outcome but could not record it.
   */
  backForMs: number;
};

export async function listExpiredLeases(
  pool: pg.Pool,
  { limit, backForMs }: ExpiredLeaseOptions,
): Promise<ExpiredLease[]> {
  const { rows } = await pool.query<{
    id: string;
    attempts: number;
    channel: string;
    version_id: string;
    unknown_count: number;
    integration_id: string | null;
  }>({
    name: 'list-expired-leases',
    // A message that is being sent has a job id; see the claim.
    text: `SELECT m.id, m.attempts, m.channel, r.version_id, m.unknown_count, m.integration_id
           FROM message m
           JOIN request r ON r.id = m.request_id
           JOIN attempt a ON a.message_id = m.id AND a.number = m.attempts
           WHERE m.state = 'sending' AND m.has_job AND m.due_at <= now()
             AND m.due_at - a.opened_at <= $2::float8 * interval '1 ms'
           ORDER BY m.due_at LIMIT $1`,
    values: [limit, backForMs],
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

export type UnplannedOptions = {
  olderThanMs: number;
  limit: number;
  /** The last id of the previous page. */
  after?: string | undefined;
};

const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Lists requests that have had unplanned items for at least `olderThanMs`, by id. */
export async function listUnplannedRequests(
  pool: pg.Pool,
  { olderThanMs, limit, after = beforeAll }: UnplannedOptions,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'list-unplanned-requests',
    text: `SELECT id FROM request
           WHERE planned_items < items AND id > $3 AND created_at <= now() - $1::float8 * interval '1 ms'
           ORDER BY id LIMIT $2`,
    values: [olderThanMs, limit, after],
  });
  return rows.map((row) => row.id);
}

const hasOpenMessages = `(EXISTS (SELECT FROM message WHERE has_job)
  OR EXISTS (SELECT FROM message WHERE waiting_at IS NOT NULL))`;

/** Whether a message is open or a request has unplanned items: three probes of partial indexes. */
export async function hasOpenWork(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ has_messages: boolean; has_items: boolean }>({
    name: 'has-open-work',
    text: `SELECT ${hasOpenMessages} AS has_messages,
             EXISTS (SELECT FROM request WHERE planned_items < items) AS has_items`,
  });
  return rows[0]?.has_messages !== false || rows[0]?.has_items !== false;
}

export type Uptime = { uptimeMs: number; hasOpenMessages: boolean };

/** PostgreSQL's uptime, and whether there can be leases. */
export async function readUptime(pool: pg.Pool): Promise<Uptime> {
  const { rows } = await pool.query<{ ms: number; is_open: boolean }>({
    name: 'read-uptime',
    text: `SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8 * 1000 AS ms,
             ${hasOpenMessages} AS is_open`,
  });
  return { uptimeMs: rows[0]?.ms ?? 0, hasOpenMessages: rows[0]?.is_open !== false };
}
