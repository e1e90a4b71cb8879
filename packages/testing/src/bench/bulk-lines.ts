import { setTimeout as wait } from 'node:timers/promises';
import { fanOutQueue } from '@belfry/shared';
import { Queue } from 'bullmq';
import {
  type BenchContext,
  callHeaders,
  emptyStores,
  getRoundsOptions,
  listCpu,
  sendBody,
  sendPath,
  summarizeLines,
  waitForPublishedCapacity,
  wideWindows,
  withCosts,
} from './bench-context';
import { type LoadProcess, startLoad } from './load-process';
import type { LoadSpec } from './load-types';
import type { BenchMember } from './members';
import { createSeries, runRounds, type Series } from './rounds';
import { computeRatio } from './statistics';

const recipients = 1_000;
const bulkConnections = 4;
const plannedBulks = 20;

type BulkBench = {
  context: BenchContext;
  gateway: BenchMember;
  fanOut: BenchMember;
  singles: LoadProcess;
  queue: Queue;
  sliceMs: number;
};

/** The line (d): a bulk of 1,000, its fanout, and its effect on concurrent single sends. */
export async function measureBulk(context: BenchContext) {
  const { world, isQuick } = context;
  const relay = await world.startWorker('relay', { env: wideWindows });
  const fanOut = await world.startWorker('fanout');
  const gateway = await world.startGateway();
  const singles = startLoad();
  const queue = new Queue(fanOutQueue, {
    connection: { url: world.redisUrl },
    prefix: world.prefix,
  });
  const series = createSeries();
  const bench = { context, gateway, fanOut, singles, queue, sliceMs: isQuick ? 700 : 3_000 };
  try {
    context.onProgress('bulk: warming up');
    await runRound(bench, createSeries());
    await runRounds(getRoundsOptions(context, { quickMs: 32_000, fullMs: 150_000 }), (index) => {
      context.onProgress(`bulk: round ${index + 1}`);
      return runRound(bench, series);
    });
  } finally {
    singles.close();
    await queue.close();
    await Promise.all([gateway, fanOut, relay].map((member) => member.stop()));
  }
  return {
    recipients,
    connections: bulkConnections,
    lines: summarizeLines(series),
    ratios: computeRatios(series),
  };
}

function computeRatios(series: Series) {
  const getP99 = (line: string) => series.getValues(line, 'p99Ms');
  return {
    single_p99_beside_bulk_vs_alone: computeRatio(
      getP99('single sends beside'),
      getP99('single sends alone'),
    ),
  };
}

async function runRound(bench: BulkBench, series: Series): Promise<void> {
  const { context, gateway, fanOut, singles, queue, sliceMs } = bench;
  const { load } = context.world;
  await beginRound(bench);
  const accepted = await run(bench, load, { ...bulkLoad(context, gateway), durationMs: sliceMs });
  series.add('accepting', {
    recipientsPerSecond: accepted.perSecond * recipients,
    p50Ms: accepted.p50Ms,
    p99Ms: accepted.p99Ms,
  });
  await beginRound(bench);
  const alone = await run(bench, singles, singleLoad(context, gateway, sliceMs));
  series.add('single sends alone', {
    perSecond: alone.perSecond,
    p50Ms: alone.p50Ms,
    p99Ms: alone.p99Ms,
  });
  const [besideBulk] = await Promise.all([
    run(bench, singles, singleLoad(context, gateway, sliceMs)),
    run(bench, load, { ...bulkLoad(context, gateway), connections: 1, durationMs: sliceMs }),
  ]);
  series.add('single sends beside', {
    perSecond: besideBulk.perSecond,
    p50Ms: besideBulk.p50Ms,
    p99Ms: besideBulk.p99Ms,
  });
  await beginRound(bench);
  await acceptBulks(bench);
  const { cpuUs, plannedPerSecond } = await withCosts(
    context,
    { pids: { node: [fanOut.pid] }, count: () => plannedBulks * recipients },
    async () => ({ plannedPerSecond: await planAll(context, queue) }),
  );
  series.add('fanout', { plannedPerSecond, ...listCpu(cpuUs) });
}

/** Fanout waits until it is released. */
async function beginRound({ context, queue }: BulkBench): Promise<void> {
  context.signal.throwIfAborted();
  await emptyStores(context);
  await queue.pause();
  await waitForPublishedCapacity(context);
}

async function run({ context }: BulkBench, load: LoadProcess, spec: LoadSpec) {
  const result = await load.run(spec);
  context.numbers.next = Math.max(context.numbers.next, result.nextNumber);
  if (result.failedCalls > 0)
    throw new Error(`${result.failedCalls} of ${result.calls} calls failed`);
  return result;
}

function bulkLoad(context: BenchContext, { url }: BenchMember): Omit<LoadSpec, 'durationMs'> {
  return {
    targets: [
      {
        url: sendPath(context, url, 'bulk_send'),
        headers: callHeaders(context, true),
        body: bulkBody(context.world.events.sms[0].name),
      },
    ],
    connections: bulkConnections,
    // Separate numbers: both loads run at the same time.
    firstNumber: context.numbers.next + 1_000_000,
  };
}

function bulkBody(event: string): string {
  const batch = Array.from({ length: recipients }, (_, index) => ({
    user: { mobile: `+1202555${String(index).padStart(4, '0')}` },
    data: { name: `Person ${index}`, order: `A-${index}`, total: 12.5, items: ['rope', 'bell'] },
  }));
  return JSON.stringify({ event, batch });
}

const singleConnections = 4;

function singleLoad(context: BenchContext, { url }: BenchMember, durationMs: number): LoadSpec {
  return {
    targets: [
      {
        url: sendPath(context, url),
        headers: callHeaders(context, true),
        body: sendBody(context.world.events.sms[1].name),
      },
    ],
    connections: singleConnections,
    durationMs,
    firstNumber: context.numbers.next,
  };
}

const longestAcceptMs = 20_000;

async function acceptBulks(bench: BulkBench): Promise<void> {
  const { context, gateway } = bench;
  await run(bench, context.world.load, {
    ...bulkLoad(context, gateway),
    calls: plannedBulks,
    durationMs: longestAcceptMs,
  });
}

const pollMs = 20;
const longestPlanMs = 30_000;

/** Items planned per second, from the release of fanout to the last written chunk, by PostgreSQL's clock. */
async function planAll(context: BenchContext, queue: Queue): Promise<number> {
  const { delivery } = context.world.database;
  const { rows } = await delivery.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  await queue.resume();
  const deadline = performance.now() + longestPlanMs;
  while (performance.now() < deadline) {
    await wait(pollMs);
    const { rows: unplannedRows } = await delivery.query(
      'SELECT 1 FROM request WHERE planned_items < items LIMIT 1',
    );
    if (unplannedRows.length === 0) break;
  }
  const { rows: planned } = await delivery.query<{ items: number; seconds: number }>(
    `SELECT count(DISTINCT (request_id, item))::int AS items, extract(epoch FROM max(created_at) - $1)::float8 AS seconds
     FROM message WHERE is_bulk`,
    [rows[0]?.now],
  );
  return (planned[0]?.items ?? 0) / (planned[0]?.seconds ?? Number.NaN);
}
