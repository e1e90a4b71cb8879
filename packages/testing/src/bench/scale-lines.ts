import pg from 'pg';
import {
  type BenchContext,
  emptyStores,
  summarizeLines,
  waitForPublishedCapacity,
  withCosts,
} from './bench-context';
import { measureBytes } from './cost-lines';
import { waitUntilDelivered } from './delivery-backlog';
import { type BenchMember, startPart } from './members';
import { createSeries, runRounds } from './rounds';
import { computeRatio } from './statistics';
import { writeSettled } from './stored-lines';
import { startWholeSystem, systemTargets } from './system-lines';

/** In all. Low enough that two cores carry four pairs: with too few, threads wait for cores and all costs grow. */
const perSecond = 300;
const pairCounts = [1, 2, 4] as const;
const connections = 64;
/**
 * For each pair, because the pairs share the load. V8 compiles hot code only, and each connection prepares its
 * statements at first: until then a message costs up to three times as much.
 */
const warmUpMs = 15_000;
const sliceMs = 15_000;
const longestDrainMs = 30_000;
/** Enough for indexes whose new entries go to many pages. */
const storedMessages = 200_000;

export type ScaleResult = Awaited<ReturnType<typeof measureScale>>;

/**
 * Costs of a keyed send with its message, from one gateway with one worker to four of each. Each line has the same load in all.
 * The provider is another process.
 */
export async function measureScale(context: BenchContext) {
  context.onProgress('scale: bytes of a waiting message in Redis');
  const { redisPerWaitingMessage } = await measureBytes(context);
  context.onProgress(`scale: writing ${storedMessages} messages`);
  await emptyStores(context);
  await writeSettled(context, storedMessages);
  const series = createSeries();
  const provider = await startPart('provider', 'provider-main.js', ['0']);
  try {
    const rounds = { rounds: 3, leastRounds: 1, budgetMs: 480_000, signal: context.signal };
    await runRounds(rounds, async (index) => {
      // Every other round runs in reverse, so that growing tables and other work do not always burden the same line.
      for (const pairs of index % 2 === 0 ? pairCounts : pairCounts.toReversed()) {
        context.signal.throwIfAborted();
        context.onProgress(`${formatPairs(pairs)}: round ${index + 1}`);
        series.add(formatPairs(pairs), await measurePairs(context, provider, pairs));
      }
    });
  } finally {
    await provider.stop();
  }
  const [one, , four] = pairCounts.map((pairs) => series.getValues(formatPairs(pairs), 'cpuUs'));
  return {
    perSecond,
    lines: summarizeLines(series),
    /** CPU per message with four pairs, relative to one, round by round. */
    cpuRatio: computeRatio(four ?? [], one ?? []),
    redisPerWaitingMessage,
  };
}

function formatPairs(pairs: number): string {
  return pairs === 1 ? '1 gateway, 1 worker' : `${pairs} gateways, ${pairs} workers`;
}

async function measurePairs(context: BenchContext, { url }: BenchMember, pairs: number) {
  const client = new pg.Client(context.world.databaseUrl);
  await client.connect();
  const system = await startWholeSystem(context, {
    gateways: pairs,
    workers: pairs,
    providerUrl: url,
  });
  const { gateways, workers } = system;
  try {
    await waitForPublishedCapacity(context);
    await sendAndDeliver(context, gateways, warmUpMs * pairs);
    // Vacuum would cost more for the stored messages than for those of a slice. After a checkpoint the log gets whole pages.
    await client.query(`VACUUM ${tables.join(', ')}`);
    await client.query('CHECKPOINT');
    const before = await readStores(context, client);
    const pids = { gateway: listPids(gateways), worker: listPids(workers) };
    const { calls, cpuUs } = await withCosts(
      context,
      { pids, count: (result: { calls: number }) => result.calls },
      () => sendAndDeliver(context, gateways, sliceMs),
    );
    return {
      ...computeCpu(cpuUs),
      ...computeGrowth(before, await readStores(context, client), calls),
    };
  } finally {
    await system.stop();
    await client.end();
  }
}

function listPids(members: readonly BenchMember[]): number[] {
  return members.map(({ pid }) => pid);
}

async function sendAndDeliver(
  context: BenchContext,
  gateways: BenchMember[],
  durationMs: number,
): Promise<{ calls: number }> {
  const { calls, failedCalls, nextNumber } = await context.world.load.run({
    targets: systemTargets(context, gateways),
    connections,
    perSecond,
    durationMs,
    firstNumber: context.numbers.next,
  });
  context.numbers.next = nextNumber;
  if (failedCalls > 0) throw new Error(`${failedCalls} calls failed`);
  if (!(await waitUntilDelivered(context, longestDrainMs))) {
    throw new Error(`Messages still wait ${longestDrainMs} ms after the load`);
  }
  return { calls };
}

function computeCpu(cpuUs: Record<string, number>) {
  const { gateway = 0, worker = 0, postgres = 0, redis = 0 } = cpuUs;
  return {
    gatewayCpuUs: gateway,
    workerCpuUs: worker,
    postgresCpuUs: postgres,
    redisCpuUs: redis,
    cpuUs: gateway + worker + postgres + redis,
  };
}

type StoreSizes = Record<
  | 'transactions'
  | 'walBytes'
  | 'rows'
  | 'tableBytes'
  | 'indexBytes'
  | 'keyBytes'
  | 'redisBytes'
  | 'redisCommands',
  number
>;

function computeGrowth(before: StoreSizes, after: StoreSizes, messages: number) {
  const each = (name: keyof StoreSizes) => (after[name] - before[name]) / messages;
  return {
    transactions: each('transactions'),
    walBytes: each('walBytes'),
    rows: each('rows'),
    tableBytes: each('tableBytes'),
    indexBytes: each('indexBytes'),
    keyBytes: each('keyBytes'),
    redisCommands: each('redisCommands'),
    redisKeptBytes: each('redisBytes'),
  };
}

const tables = ['request', 'request_item', 'message', 'attempt', 'idempotency_key'];

async function readStores({ world }: BenchContext, client: pg.Client): Promise<StoreSizes> {
  const { rows } = await client.query<Omit<StoreSizes, 'redisBytes' | 'redisCommands'>>(sizes);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL reported no sizes');
  const info = await world.redis.info();
  return {
    ...row,
    redisBytes: Number(/used_memory:(\d+)/.exec(info)?.[1]),
    redisCommands: Number(/total_commands_processed:(\d+)/.exec(info)?.[1]),
  };
}

// An idempotency key is kept for a day, the other tables for RETENTION_DAYS.
const sizes = `
SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())::float8 AS transactions,
  (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS "walBytes",
  (${tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')})::float8 AS rows,
  sum(pg_table_size(name::regclass)) FILTER (WHERE name <> 'idempotency_key')::float8 AS "tableBytes",
  sum(pg_indexes_size(name::regclass)) FILTER (WHERE name <> 'idempotency_key')::float8 AS "indexBytes",
  pg_total_relation_size('idempotency_key')::float8 AS "keyBytes"
FROM unnest(ARRAY[${tables.map((table) => `'${table}'`).join(', ')}]) name`;
