import { inTransaction } from '@belfry/database';
import { readCpuSeconds } from './process-costs';
import type { RoundsOptions, Series } from './rounds';
import { computeSpread, type Spread } from './statistics';
import type { BenchWorld } from './world';

export type BenchContext = {
  world: BenchWorld;
  isQuick: boolean;
  signal: AbortSignal;
  onProgress(line: string): void;
  /** Every call has a unique number. */
  numbers: { next: number };
};

/** Median, minimum and maximum of every figure of a line. */
export type BenchLine = { line: string } & Record<string, Spread | string>;

export function summarizeLines(series: Series): BenchLine[] {
  return series.lines().map((line) => ({
    line,
    ...Object.fromEntries(
      series.names(line).map((name) => [name, computeSpread(series.getValues(line, name))]),
    ),
  }));
}

/** The number of rounds of a section, and its time limit. */
export function getRoundsOptions(
  { isQuick, signal }: BenchContext,
  { quickMs, fullMs }: { quickMs: number; fullMs: number },
): RoundsOptions {
  return isQuick
    ? { rounds: 7, leastRounds: 1, budgetMs: quickMs, signal }
    : { rounds: 9, leastRounds: 7, budgetMs: fullMs, signal };
}

/** Empties the tables and queues, so that each slice begins alike. A deadlock with a process that still reads is tried again. */
export async function emptyStores({ world }: BenchContext): Promise<void> {
  await inTransaction(world.database.delivery, (client) =>
    client.query(`TRUNCATE ${filledTables}`),
  );
  await world.redis.flushall();
}

/** A relay counts minutes, too. */
const filledTables =
  'attempt, message, request_item, request, request_term, idempotency_key, capture, counted_minute, message_minute';

/** Settings that let all accepted jobs of a slice be in Redis, as in the compared queue. */
export const wideWindows = { RELAY_CHANNEL_WINDOW: '100000', RELAY_APP_WINDOW: '100000' };

const capacityPollMs = 20;
const capacityTimeoutMs = 10_000;
/** A gateway polls every 50 ms, and uses the second count as the first complete one. */
const capacityReadMs = 150;

/** Waits until a relay has published capacity to the gateways. Before that they queue nothing. */
export async function waitForPublishedCapacity({ world }: BenchContext): Promise<void> {
  const deadline = performance.now() + capacityTimeoutMs;
  while (performance.now() < deadline) {
    if ((await world.redis.exists(`${world.prefix}:relay:capacity`)) === 1) {
      await new Promise((resolve) => setTimeout(resolve, capacityReadMs));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, capacityPollMs));
  }
  throw new Error('No relay published capacity');
}

export type CpuCosts = { cpuUs: Record<string, number> };

const microseconds = 1e6;

/** Processor time of the named processes, the stores and the load, in microseconds per `count(result)`. */
export async function withCosts<T>(
  { world }: BenchContext,
  { pids, count }: { pids: Record<string, number[]>; count: (result: T) => number },
  work: () => Promise<T>,
): Promise<T & CpuCosts> {
  const read = (): Record<string, number | undefined> => ({
    ...Object.fromEntries(Object.entries(pids).map(([name, group]) => [name, sumCpu(group)])),
    redis: readCpuSeconds(world.redisPid),
    postgres: readCpuSeconds(world.postgresPid, { withChildren: true }),
    load: readCpuSeconds(world.load.pid),
  });
  const before = read();
  const result = await work();
  const after = read();
  const each = (name: string) =>
    (((after[name] ?? 0) - (before[name] ?? 0)) * microseconds) / Math.max(count(result), 1);
  return {
    ...result,
    cpuUs: Object.fromEntries(Object.keys(before).map((name) => [name, each(name)])),
  };
}

/** The columns of the processor time that `withCosts` measured, except that of the load. */
export function listCpu({ node = 0, redis = 0, postgres = 0 }: CpuCosts['cpuUs']) {
  return { nodeCpuUs: node, redisCpuUs: redis, postgresCpuUs: postgres };
}

function sumCpu(pids: readonly number[]): number {
  return pids.reduce((seconds, pid) => seconds + (readCpuSeconds(pid) ?? 0), 0);
}

export function sendPath({ world }: BenchContext, url: string, call = 'send'): string {
  return `${url}/v1/apps/${world.tenant.appId}/events/${call}`;
}

export function callHeaders(
  { world }: BenchContext,
  hasIdempotencyKey: boolean,
): Record<string, string> {
  return {
    Authorization: `AuthKey ${world.tenant.apiKey}`,
    ...(hasIdempotencyKey ? { 'Idempotency-Key': 'bench-##########' } : {}),
  };
}

/** About 200 bytes, as in real bodies. */
export function sendBody(event: string, user: Record<string, unknown> = smsUser): string {
  return JSON.stringify({
    event,
    user,
    data: { name: 'Ana', order: 'A-##########', total: 12.5, items: ['rope', 'bell'] },
  });
}

/** Another recipient for each call. */
const smsUser = { mobile: '+1##########' };

/** The first of numbers that are valid phone numbers with +1. */
export const firstPhone = 2_025_550_000;
