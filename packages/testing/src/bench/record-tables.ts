import { buildLinesTable, formatTable } from './performance-page';
import type { PoolerResult } from './pooler-lines';
import type { OwnRecord, ScaleRecord } from './run-bench';

/** The tables of docs/explanation/performance.md that have records of their own, by part of `npm run bench`. */
export const ownTables = {
  scale: buildCostTables,
  pooler: buildPoolerTable,
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
