import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@belfry/runtime';
import { maxMessagesPerJob } from '@belfry/shared';
import type { BenchContext } from './bench-context';

export type DeliveryBacklog = {
  messages: number;
  jobs: { jobId: string; fairnessKey: string; ids: string[] }[];
};

/** Due single sends through two integrations with equal load. Their jobs are built but not yet in Redis. */
export async function writeDeliveryBacklog(
  { world }: BenchContext,
  messages: number,
): Promise<DeliveryBacklog> {
  const { tenant, events, integrationIds, database } = world;
  const jobs = Array.from({ length: Math.ceil(messages / maxMessagesPerJob) }, () => newId());
  const { rows } = await database.delivery.query<{ id: string; job_id: string }>(statement, [
    tenant.accountId,
    tenant.appId,
    events.sms.map(({ eventId }) => eventId),
    events.sms.map(({ versionId }) => versionId),
    integrationIds,
    jobs,
    maxMessagesPerJob,
    messages,
  ]);
  await database.delivery.query('ANALYZE message, request, request_item');
  const idsByJob = new Map<string, string[]>();
  for (const { id, job_id: jobId } of rows)
    idsByJob.set(jobId, [...(idsByJob.get(jobId) ?? []), id]);
  return {
    messages,
    jobs: jobs.map((jobId, index) => ({
      jobId,
      fairnessKey: integrationIds[index % 2] ?? '',
      ids: idsByJob.get(jobId) ?? [],
    })),
  };
}

// Jobs alternate between the integrations: job 0 uses the first, job 1 the second.
const statement = `
WITH n AS MATERIALIZED (
  SELECT gen_random_uuid() AS request_id, gen_random_uuid() AS id, number, (number / $7::int) AS job
  FROM generate_series(0, $8::int - 1) number
), r AS (
  INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
  SELECT request_id, $1, $2, ($3::uuid[])[job % 2 + 1], ($4::uuid[])[job % 2 + 1], 'single', 1, 1 FROM n
), i AS (
  INSERT INTO request_item (request_id, item, recipient, data, planned_at)
  SELECT request_id, 0, '{"mobile":"+12025550123"}', '{"name":"Ana","order":"A-1001","total":12.5,"items":["rope","bell"]}', now() FROM n
)
INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, due_at, expires_at, job_id)
SELECT id, request_id, 0, $2, 'sms', '+1202' || lpad(number::text, 7, '0'), ($5::uuid[])[job % 2 + 1], now(),
  now() + interval '1 day', ($6::uuid[])[job + 1]
FROM n
RETURNING id, job_id`;

export async function queueBacklog(
  { world }: BenchContext,
  { jobs }: DeliveryBacklog,
): Promise<void> {
  await world.queues.addDeliverJobs(jobs.map((job) => ({ ...job, channel: 'sms' })));
}

const pollMs = 100;

/** Waits until all messages are settled; returns false at the time limit. */
export async function waitUntilDelivered(
  { world, signal }: BenchContext,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const { rows } = await world.database.delivery.query(
      'SELECT 1 FROM message WHERE due_at IS NOT NULL LIMIT 1',
    );
    if (rows.length === 0) return true;
    await wait(pollMs);
  }
  return false;
}

/** Messages per second from the first claim to the last record, by PostgreSQL's clock. */
export async function readDeliveredPerSecond({ world }: BenchContext): Promise<number> {
  const { rows } = await world.database.delivery.query<{ messages: number; seconds: number }>(
    `SELECT count(*)::int AS messages, extract(epoch FROM max(closed_at) - min(opened_at))::float8 AS seconds
     FROM attempt WHERE outcome = 'accepted'`,
  );
  const [row] = rows;
  return (row?.messages ?? 0) / (row?.seconds ?? Number.NaN);
}
