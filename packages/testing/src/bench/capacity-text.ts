import { settings } from '@belfry/runtime';
import {
  type Capacity,
  computeCapacity,
  type Demand,
  largest,
  providerSeconds,
  readCosts,
  usedShare,
} from './capacity';
import { formatNumber, formatTable } from './performance-page';
import type { ScaleRecord } from './run-bench';

const defaultPeakFactor = 5;
const tableDemands = [100_000, 1_000_000, 10_000_000, 50_000_000, 200_000_000];

/** The demand of `npm run capacity`, with defaults for what is not named. */
export function completeDemand(
  demand: Pick<Demand, 'messagesPerDay'> & { [Name in keyof Demand]?: Demand[Name] | undefined },
): Demand {
  const { messagesPerDay, peakFactor, retentionDays } = demand;
  return {
    messagesPerDay,
    peakFactor: peakFactor ?? defaultPeakFactor,
    retentionDays: retentionDays ?? settings.RETENTION_DAYS.default,
  };
}

/** Machines and sizes for a demand, for the terminal. */
export function formatCapacity(record: ScaleRecord, demand: Demand): string {
  const capacity = computeCapacity(readCosts(record), demand);
  const { installations, primary, messagesPerDay } = capacity;
  const rows = listSizes(capacity).map(([name, value]) => `  ${name.padEnd(24)} ${value}`);
  const share = installations === 1 ? '' : `, each with ${formatCount(messagesPerDay)}`;
  return [
    `${formatCount(demand.messagesPerDay)} messages per day`,
    `  ${'installations'.padEnd(24)} ${installations}${share}`,
    ...rows,
    '',
    `One primary carries ${formatCount(primary.mostPerDay)} messages per day; the limit is ${primary.limit}.`,
    '',
    'Assumptions',
    ...listAssumptions(record, demand).map((line) => `  ${line}`),
  ].join('\n');
}

function listSizes(capacity: Capacity): [name: string, value: string][] {
  const { workers, machines, coresPerMachine, memoryGbPerMachine } = capacity;
  return [
    ['messages/s at the peak', formatNumber(Math.round(capacity.peakPerSecond))],
    ['gateways', String(capacity.gateways)],
    ...Object.entries(workers).map(([role, count]): [string, string] => [
      `workers, ${role}`,
      String(count),
    ]),
    [
      'machines for them',
      `${machines} with ${coresPerMachine} cores and ${memoryGbPerMachine} GB each`,
    ],
    ['PostgreSQL cores', String(capacity.postgresCores)],
    ['WAL per day', formatBytes(capacity.walBytesPerDay)],
    ['PostgreSQL disk', formatBytes(capacity.diskBytes)],
    ['Redis memory', formatBytes(capacity.redisBytes)],
  ];
}

function listAssumptions(
  { machine, commit, startedAt, perSecond }: ScaleRecord,
  { peakFactor, retentionDays }: Demand,
): string[] {
  const { cores, processor, node, postgres } = machine;
  const { postgresCores, walBytesPerSecond, diskBytes } = largest;
  return [
    `The busiest second has ${peakFactor} times the average, and every message is a keyed single send on one channel.`,
    `Messages are kept for ${retentionDays} days.`,
    `Cores, network, disk and Redis memory are used to ${usedShare * 100} %.`,
    `A provider answers in ${providerSeconds * 1_000} ms, and one integration sends everything.`,
    '"deliver" counts the workers of all channels together; run at least 2 for each channel that you use.',
    'The load of the roles relay, fanout and webhooks was not measured: each has 2 processes for availability.',
    `A primary has at most ${postgresCores} cores, ${formatBytes(diskBytes)} of disk and ${(walBytesPerSecond * 8) / 1e9} Gbit/s to a standby.`,
    `Measured at commit ${commit} on ${startedAt.slice(0, 10)} on ${cores} cores (${processor}), Node ${node}, PostgreSQL ${postgres},`,
    `at ${perSecond} messages/s in all. Costs on more cores are extrapolated.`,
  ];
}

/** The table of docs/how-to/scale.md. */
export function buildCapacityTable(record: ScaleRecord): string {
  const costs = readCosts(record);
  const columns = tableDemands.map((messagesPerDay) => {
    const capacity = computeCapacity(costs, completeDemand({ messagesPerDay }));
    return [['installations', String(capacity.installations)], ...listSizes(capacity)];
  });
  const [first = []] = columns;
  const rows = first.map(([name = ''], row) => [
    name,
    ...columns.map((column) => column[row]?.[1] ?? ''),
  ]);
  const { primary } = computeCapacity(costs, completeDemand({ messagesPerDay: 1_000_000 }));
  return [
    formatTable({ head: ['messages per day', ...tableDemands.map(formatNumber)], rows }),
    `One primary carries ${formatCount(primary.mostPerDay)} messages per day at a peak factor of ${defaultPeakFactor} and ` +
      `${settings.RETENTION_DAYS.default} days; the limit is ${primary.limit}.`,
  ].join('\n\n');
}

/** Three digits: the costs are not known better. */
function formatCount(value: number): string {
  return formatNumber(Number(Math.floor(value).toPrecision(value >= 1e4 ? 3 : 12)));
}

function formatBytes(bytes: number): string {
  const units: [number, string][] = [
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
  ];
  const [size, unit] = units.find(([each]) => bytes >= each) ?? [1e6, 'MB'];
  return `${Math.max(1, Number((bytes / size).toPrecision(2)))} ${unit}`;
}
