import { setTimeout as wait } from 'node:timers/promises';
import { createDatabase } from '@belfry/database';
import { createStoredUpkeep } from '@belfry/pipeline/relay';
import { createLogger } from '@belfry/runtime';
import { type BenchContext, waitForPublishedCapacity } from './bench-context';
import { type Pace, type Sending, sendAndMeasure } from './latency-lines';
import { startPart } from './members';
import { computeSpread, round, type Spread } from './statistics';
import { writeSettled } from './stored-lines';
import { startWholeSystem, systemTargets } from './system-lines';

const fullMessages = 1_000_000;
const quickMessages = 200_000;
const retentionDays = 30;
const daysAgo = retentionDays + 1;
/** For the worker, whose own removal must not run in the slices without one. */
const longRetentionDays = '3600';
const load = { perSecond: 200, connections: 16 };
const sliceMs = 20_000;
const maxSlices = 120;
const tables = ['request', 'request_item', 'message', 'attempt'];
const vacuumTimeoutMs = 5 * 60_000;
const vacuumPollMs = 2_000;

/** Time from the call to the provider call, over slices of 20 s. */
type SliceTimes = { slices: number; p50Ms: Spread; p99Ms: Spread };

export type RetentionResult = {
  messages: number;
  perSecond: number;
  removedPerSecond: number;
  without: SliceTimes;
  during: SliceTimes;
  /** Medians of the slices, relative to those without a removal. */
  p99Ratio: number;
  /** Tables and indexes after the day was written, after it was removed, and after another one was written. */
  bytes: Record<'before' | 'after' | 'refilled', number>;
};

type Slice = { removed: number; p50Ms: number; p99Ms: number };

/** Removes a day of messages beside a live load, then writes another one. */
export async function measureRetention(context: BenchContext): Promise<RetentionResult> {
  const messages = context.isQuick ? quickMessages : fullMessages;
  context.onProgress(`retention: writing ${messages} messages`);
  await writeSettled(context, messages, daysAgo);
  const before = await readBytes(context);
  const { without, during } = await sendUntilRemoved(context);
  const removed = during.reduce((sum, slice) => sum + slice.removed, 0);
  await waitForVacuum(context);
  const after = await readBytes(context);
  context.onProgress(`retention: writing ${messages} messages again`);
  await writeSettled(context, messages);
  const [timesWithout, timesDuring] = [computeTimes(without), computeTimes(during)];
  return {
    messages,
    perSecond: load.perSecond,
    removedPerSecond: round((removed * 1_000) / (during.length * sliceMs)),
    without: timesWithout,
    during: timesDuring,
    p99Ratio: round(timesDuring.p99Ms.median / timesWithout.p99Ms.median),
    bytes: { before, after, refilled: await readBytes(context) },
  };
}

function computeTimes(slices: readonly Slice[]): SliceTimes {
  return {
    slices: slices.length,
    p50Ms: computeSpread(slices.map(({ p50Ms }) => p50Ms)),
    p99Ms: computeSpread(slices.map(({ p99Ms }) => p99Ms)),
  };
}

type Slices = { without: Slice[]; during: Slice[] };

/** Slices with and without the removal take turns, because the speed of the machine changes over minutes. */
async function sendUntilRemoved(context: BenchContext): Promise<Slices> {
  const provider = await startPart('provider', 'provider-main.js', ['0']);
  const system = await startWholeSystem(context, {
    ...{ gateways: 1, workers: 1, providerUrl: provider.url },
    options: { env: { RETENTION_DAYS: longRetentionDays } },
  });
  const sending: Sending = {
    ...{ context, child: provider.child },
    members: [...system.gateways, ...system.workers],
    targets: systemTargets(context, system.gateways),
  };
  const pace = { ...load, durationMs: sliceMs };
  const slices: Slices = { without: [], during: [] };
  try {
    await waitForPublishedCapacity(context);
    // V8 compiles hot code only.
    await sendAndMeasure(sending, pace);
    while (slices.during.length < maxSlices) {
      context.signal.throwIfAborted();
      slices.without.push(await measureSlice(sending, pace));
      const slice = await withRemoval(context, () => measureSlice(sending, pace));
      context.onProgress(`retention: ${JSON.stringify([slices.without.at(-1), slice])}`);
      if (slice.removed === 0 && slices.during.length > 0) return slices;
      slices.during.push(slice);
    }
    throw new Error('The messages were not removed in time');
  } finally {
    await system.stop();
    await provider.stop();
  }
}

/** Removes old messages while `work` runs, as a relay does. */
async function withRemoval<T>({ world }: BenchContext, work: () => Promise<T>): Promise<T> {
  const log = createLogger({ level: 'warn', process: 'bench' });
  // The lock and the work each hold a connection.
  const database = createDatabase({ url: world.databaseUrl, poolSize: 2, log });
  const env = { RETENTION_DAYS: retentionDays };
  const upkeep = createStoredUpkeep({ env, database, archive: undefined, log });
  const removing = upkeep.runOnce();
  try {
    return await work();
  } finally {
    await upkeep.close();
    await removing;
    await database.close();
  }
}

async function measureSlice(sending: Sending, pace: Pace): Promise<Slice> {
  const before = await countRemoved(sending.context);
  const { latency } = await sendAndMeasure(sending, pace);
  const removed = (await countRemoved(sending.context)) - before;
  return { removed, p50Ms: latency.p50Ms, p99Ms: latency.p99Ms };
}

/** Requests that were ever removed. Reads no table. */
async function countRemoved({ world }: BenchContext): Promise<number> {
  const { rows } = await world.database.delivery.query<{ n: number }>(
    "SELECT n_tup_del::int AS n FROM pg_stat_user_tables WHERE relname = 'request'",
  );
  return rows[0]?.n ?? 0;
}

async function readBytes({ world }: BenchContext): Promise<number> {
  const { rows } = await world.database.delivery.query<{ bytes: number }>(
    'SELECT sum(pg_total_relation_size(name::regclass))::float8 AS bytes FROM unnest($1::text[]) name',
    [tables],
  );
  return rows[0]?.bytes ?? Number.NaN;
}

/** Waits until autovacuum has freed most of the removed rows. */
async function waitForVacuum({ world, signal, onProgress }: BenchContext): Promise<void> {
  onProgress('retention: waiting for autovacuum');
  const deadline = performance.now() + vacuumTimeoutMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const { rows } = await world.database.delivery.query(
      `SELECT 1 FROM pg_stat_user_tables
       WHERE relname = ANY ($1) AND n_dead_tup > 0.25 * (n_live_tup + n_dead_tup)`,
      [tables],
    );
    if (rows.length === 0) return;
    await wait(vacuumPollMs);
  }
  throw new Error('Autovacuum did not free the removed rows in time');
}
