import { buildLinesTable, formatNumber, formatSpread, formatTable } from './performance-page';
import type { PoolerResult } from './pooler-lines';
import type { RetentionResult } from './retention-lines';
import type { OwnRecord, ScaleRecord } from './run-bench';

/** The tables of docs/explanation/performance.md that have records of their own, by part of `npm run bench`. */
export const ownTables = {
  scale: buildCostTables,
  pooler: buildPoolerTable,
  retention: buildRetentionTable,
};

/** The machine and the versions. */
function describeRun({ machine, commit, startedAt }: OwnRecord): string {
  return (
    `on ${startedAt.slice(0, 10)} at commit ${commit}: ${machine.cores} cores (${machine.processor}), Node ${machine.node}, ` +
    `PostgreSQL ${machine.postgres}; load average ${machine.loadBefore} before the run`
  );
}

const costColumns = {
  cpuUs: 'CPU, all, us',
  gatewayCpuUs: 'gateways',
  workerCpuUs: 'workers',
  postgresCpuUs: 'PostgreSQL',
  redisCpuUs: 'Redis',
};

const storeColumns = {
  walBytes: 'WAL bytes',
  rows: 'rows',
  tableBytes: 'table bytes',
  indexBytes: 'index bytes',
  keyBytes: 'key bytes, for a day',
  redisCommands: 'Redis commands',
  redisKeptBytes: 'Redis bytes, for 15 min',
};

function buildCostTables(record: ScaleRecord): string {
  const { lines, cpuRatio, perSecond } = record;
  return [
    `Per message, at ${perSecond}/s in all, ${describeRun(record)}. Median of the rounds, with minimum and maximum.`,
    formatTable(buildLinesTable(lines, costColumns)),
    `CPU with 4 gateways and 4 workers, relative to 1 and 1: ${cpuRatio} (goal: at most 1.1).`,
    formatTable(buildLinesTable(lines, storeColumns)),
    `A message that waits takes ${record.redisPerWaitingMessage} bytes in Redis.`,
  ].join('\n\n');
}

const poolerColumns = {
  acceptedPerSecond: 'accepted/s',
  messagesPerSecond: 'delivered/s',
  p99Ms: 'accept, p99 ms',
  postgresCpuUs: 'CPU of PostgreSQL per call, us',
};

function buildPoolerTable(record: OwnRecord & PoolerResult): string {
  const { messagesPerSecond, postgresCpu } = record.ratios;
  return [
    `Measured ${describeRun(record)}. Median of the rounds, with minimum and maximum.`,
    formatTable(buildLinesTable(record.lines, poolerColumns)),
    `Through the pooler, relative to the direct connection: ${messagesPerSecond} of the messages, ${postgresCpu} times the processor time of PostgreSQL per call.`,
  ].join('\n\n');
}

function buildRetentionTable(record: OwnRecord & RetentionResult): string {
  const { messages, perSecond, removedPerSecond, without, during, p99Ratio, bytes } = record;
  const rows = Object.entries({ 'without a removal': without, 'during the removal': during }).map(
    ([name, { slices, p50Ms, p99Ms }]) => [
      name,
      String(slices),
      formatSpread(p50Ms),
      formatSpread(p99Ms),
    ],
  );
  return [
    `Measured ${describeRun(record)}. Median of the slices, with minimum and maximum.`,
    formatTable({ head: ['call to provider', 'slices of 20 s', 'p50 ms', 'p99 ms'], rows }),
    `${formatNumber(messages)} messages were removed beside ${perSecond} sends per second, ${formatNumber(removedPerSecond)} per second. ` +
      `The p99 is ${p99Ratio} times that without a removal (goal: at most 1.2).`,
    `They had taken ${toMb(bytes.before)} MB with their indexes. After the removal the tables had ${toMb(bytes.after)} MB, with the messages ` +
      `sent meanwhile; as many messages written again added ${toMb(bytes.refilled - bytes.after)} MB.`,
  ].join('\n\n');
}

function toMb(bytes: number): string {
  return formatNumber(Math.round(bytes / 1e6));
}
