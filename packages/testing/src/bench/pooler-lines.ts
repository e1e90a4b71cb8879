import { hasDebianPostgres, startPgBouncer } from '../debian-postgres';
import { type BenchContext, type BenchLine, summarizeLines, withCosts } from './bench-context';
import { createSeries, runRounds } from './rounds';
import { computeRatio } from './statistics';
import { startWholeSystem, systemRound } from './system-lines';
import type { StartOptions } from './world';

const connections = 64;
const warmUpMs = 6_000;
const sliceMs = 8_000;
const names = { direct: 'direct connection', pooled: 'PgBouncer, transaction mode' };

export type PoolerResult = {
  lines: BenchLine[];
  /** Through the pooler, relative to direct, round by round. */
  ratios: { messagesPerSecond: number; postgresCpu: number };
};

/** The whole system, connected to PostgreSQL directly and through a pooler; undefined if PgBouncer is not installed. */
export async function measurePooler(context: BenchContext): Promise<PoolerResult | undefined> {
  if (!hasDebianPostgres) {
    context.onProgress('pooler: skipped, because PgBouncer is not installed or this is not root');
    return undefined;
  }
  const pooler = await startPgBouncer(context.world.databaseUrl, {
    mode: 'transaction',
    more: 'default_pool_size = 40',
  });
  const kinds: [string, StartOptions][] = [
    [names.direct, {}],
    [names.pooled, { databaseUrl: pooler.url, env: { DATABASE_POOLING: 'transaction' } }],
  ];
  const series = createSeries();
  try {
    const rounds = { rounds: 5, leastRounds: 3, budgetMs: 240_000, signal: context.signal };
    await runRounds(rounds, async (index) => {
      // The first system of a round runs on colder stores, so the order changes.
      for (const [name, options] of index % 2 === 0 ? kinds : kinds.toReversed()) {
        context.onProgress(`${name}: round ${index + 1}`);
        series.add(name, await measureKind(context, options));
      }
    });
  } finally {
    await pooler.stop();
  }
  const compare = (name: string) =>
    computeRatio(series.getValues(names.pooled, name), series.getValues(names.direct, name));
  return {
    lines: summarizeLines(series),
    ratios: {
      messagesPerSecond: compare('messagesPerSecond'),
      postgresCpu: compare('postgresCpuUs'),
    },
  };
}

async function measureKind(context: BenchContext, options: StartOptions) {
  const system = await startWholeSystem(context, { gateways: 1, workers: 1, options });
  try {
    await systemRound(context, system.gateways, { connections, sliceMs: warmUpMs });
    const delivered = ({ acceptedPerSecond = 0 }: Record<string, number>) =>
      (acceptedPerSecond * sliceMs) / 1_000;
    const { cpuUs, ...figures } = await withCosts(context, { pids: {}, count: delivered }, () =>
      systemRound(context, system.gateways, { connections, sliceMs }),
    );
    return { ...figures, postgresCpuUs: cpuUs['postgres'] ?? Number.NaN };
  } finally {
    await system.stop();
  }
}
