import { inTransaction, type Queryable } from '@belfry/database';
import type pg from 'pg';

/** Messages of one channel, class and app, with at least one that is due and has no job. */
export type WaitingGroup = { channel: string; isBulk: boolean; appId: string };

/** Messages of a group that are in their channel's queue. */
export type QueuedCount = WaitingGroup & { messages: number };

export type WaitingMessage = WaitingGroup & {
  id: string;
  integrationId: string | undefined;
  /** Time since it was due. */
  waitedMs: number;
};

/** How many messages of a group may be enqueued. */
export type Share = WaitingGroup & { messages: number };

export type EnqueueDecisions<Job> = {
  /** Called for single sends, then for bulk. `queued` includes `taken`, the single sends that this run took. */
  share(groups: WaitingGroup[], queued: QueuedCount[], taken: QueuedCount[]): Share[];
  /** Groups messages, given in the order to send them, into jobs. */
  gather(messages: WaitingMessage[]): Job[];
  /** The last group of the previous scan; undefined starts at the first group. */
  after: WaitingGroup | undefined;
};

export type EnqueuedMessages<Job> = {
  jobs: Job[];
  /** The counts with these jobs. */
  queued: QueuedCount[];
  /** The last group of this scan; undefined if the scan reached the end. */
  next: WaitingGroup | undefined;
};

/** Groups per scan, due or not; each is one index probe. */
const groupsPerScan = 2_000;
/** The relay that enqueues holds this advisory lock. */
export const enqueueLockKey = 48_015_001;
/** If a relay hangs within the transaction, this frees the lock for the others. */
const idleTimeoutMs = 5_000;

/**
 * Selects due messages and writes their job ids. One relay does so at a time, so that its counts stay true.
 * Undefined if another relay holds the lock.
 */
export async function enqueueDue<Job extends { jobId: string; ids: string[] }>(
  pool: pg.Pool,
  decisions: EnqueueDecisions<Job>,
): Promise<EnqueuedMessages<Job> | undefined> {
  return inTransaction(pool, async (client) => {
    if (!(await lock(client))) return undefined;
    // Each statement sees what was committed before it began, so read only after taking the lock.
    const queued = await countQueued(client);
    const { groups, next } = await listWaitingGroups(client, decisions.after);
    const scan = { decisions, groups };
    const single = await enqueueClass(client, { ...scan, queued, taken: [], isBulk: false });
    const taken = countGroups(single.messages);
    const withSingle = [...queued, ...taken];
    const bulk = await enqueueClass(client, { ...scan, queued: withSingle, taken, isBulk: true });
    const withBulk = [...withSingle, ...countGroups(bulk.messages)];
    return { jobs: [...single.jobs, ...bulk.jobs], queued: withBulk, next };
  });
}

async function lock(client: Queryable): Promise<boolean> {
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`);
  const { rows } = await client.query<{ is_ours: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1) AS is_ours',
    [enqueueLockKey],
  );
  return rows[0]?.is_ours === true;
}

/** Counts queued messages from PostgreSQL; callers need not hold the lock. */
export async function countQueued(client: Queryable): Promise<QueuedCount[]> {
  const { rows } = await client.query<Omit<GroupRow, 'is_due'> & { messages: number }>({
    name: 'count-queued',
    text: `SELECT channel, is_bulk, app_id, count(*)::int AS messages FROM message
           WHERE has_job AND state = 'queued'
           GROUP BY channel, is_bulk, app_id`,
  });
  return rows.map((row) => ({
    channel: row.channel,
    isBulk: row.is_bulk,
    appId: row.app_id,
    messages: row.messages,
  }));
}

// Jumps from group to group by the index, so the cost is the number of groups, not of waiting messages.
const groupsStatement = `
WITH RECURSIVE g AS (
  (SELECT channel, is_bulk, app_id, waiting_at FROM message
   WHERE waiting_at IS NOT NULL AND (channel, is_bulk, app_id) > ($1::text, $2::bool, $3::uuid)
   ORDER BY channel, is_bulk, app_id, waiting_at LIMIT 1)
  UNION ALL
  SELECT n.* FROM g CROSS JOIN LATERAL (
    SELECT m.channel, m.is_bulk, m.app_id, m.waiting_at FROM message m
    WHERE m.waiting_at IS NOT NULL AND (m.channel, m.is_bulk, m.app_id) > (g.channel, g.is_bulk, g.app_id)
    ORDER BY m.channel, m.is_bulk, m.app_id, m.waiting_at LIMIT 1
  ) n
)
SELECT channel, is_bulk, app_id, waiting_at <= now() AS is_due FROM g LIMIT $4`;

type GroupRow = { channel: string; is_bulk: boolean; app_id: string; is_due: boolean };

const beforeAll = { channel: '', isBulk: false, appId: '00000000-0000-0000-0000-000000000000' };

async function listWaitingGroups(
  client: Queryable,
  after: WaitingGroup = beforeAll,
): Promise<{ groups: WaitingGroup[]; next: WaitingGroup | undefined }> {
  const { rows } = await client.query<GroupRow>({
    name: 'list-waiting-groups',
    text: groupsStatement,
    values: [after.channel, after.isBulk, after.appId, groupsPerScan],
  });
  const toGroup = (row: GroupRow) => ({
    channel: row.channel,
    isBulk: row.is_bulk,
    appId: row.app_id,
  });
  const last = rows.length === groupsPerScan ? rows.at(-1) : undefined;
  return { groups: rows.filter((row) => row.is_due).map(toGroup), next: last && toGroup(last) };
}

type ClassInput<Job> = {
  decisions: EnqueueDecisions<Job>;
  groups: WaitingGroup[];
  queued: QueuedCount[];
  taken: QueuedCount[];
  isBulk: boolean;
};

async function enqueueClass<Job extends { jobId: string; ids: string[] }>(
  client: Queryable,
  { decisions, groups, queued, taken, isBulk }: ClassInput<Job>,
): Promise<{ jobs: Job[]; messages: WaitingMessage[] }> {
  const classGroups = groups.filter((group) => group.isBulk === isBulk);
  const shares = decisions.share(classGroups, queued, taken).filter(({ messages }) => messages > 0);
  if (shares.length === 0) return { jobs: [], messages: [] };
  const messages = await takeWaiting(client, { shares, isBulk });
  const jobs = decisions.gather(messages);
  await client.query({
    name: 'assign-new-jobs',
    text: `UPDATE message m SET job_id = t.job_id FROM unnest($1::uuid[], $2::uuid[]) t (id, job_id)
           WHERE m.id = t.id AND m.id = ANY ($1::uuid[])`,
    values: [
      jobs.flatMap(({ ids }) => ids),
      jobs.flatMap(({ jobId, ids }) => ids.map(() => jobId)),
    ],
  });
  return { jobs, messages };
}

/** Skips locked rows; the next run takes them. */
async function takeWaiting(
  client: Queryable,
  { shares, isBulk }: { shares: Share[]; isBulk: boolean },
): Promise<WaitingMessage[]> {
  const { rows } = await client.query<{
    id: string;
    channel: string;
    app_id: string;
    integration_id: string | null;
    waited_ms: number;
  }>({
    name: 'take-waiting',
    text: `SELECT m.id, s.channel, s.app_id, m.integration_id,
             (extract(epoch FROM now() - m.waiting_at) * 1000)::float8 AS waited_ms
           FROM unnest($1::text[], $2::uuid[], $3::int[]) WITH ORDINALITY s (channel, app_id, messages, place)
           CROSS JOIN LATERAL (
             SELECT id, integration_id, waiting_at FROM message
             WHERE channel = s.channel AND is_bulk = $4 AND app_id = s.app_id
               AND waiting_at <= now() AND state = 'queued'
             ORDER BY waiting_at LIMIT s.messages FOR UPDATE SKIP LOCKED
           ) m
           ORDER BY s.place, m.waiting_at`,
    values: [
      shares.map(({ channel }) => channel),
      shares.map(({ appId }) => appId),
      shares.map(({ messages }) => messages),
      isBulk,
    ],
  });
  return rows.map((row) => ({
    id: row.id,
    channel: row.channel,
    appId: row.app_id,
    isBulk,
    integrationId: row.integration_id ?? undefined,
    waitedMs: row.waited_ms,
  }));
}

function countGroups(messages: WaitingMessage[]): QueuedCount[] {
  return messages.map(({ channel, isBulk, appId }) => ({ channel, isBulk, appId, messages: 1 }));
}
