import { acceptNames } from './accept-lines';
import type { Line } from './bench-context';
import { barChartOf } from './chart';
import type { BenchReport } from './run-bench';

/** What the page says between its marks, and the charts beside it, which only a whole run has. */
export function performancePageOf(report: BenchReport): {
  text: string;
  charts: Record<string, string>;
} {
  const { accept, latency, isQuick } = report;
  if (!accept || !latency) throw new Error('The record is not of a whole run: npm run bench');
  const images = [
    '![Calls accepted a second](charts/throughput.svg)',
    '![How long a call waits for its answer](charts/latency.svg)',
  ];
  const charts = {
    'throughput.svg': throughputChart(accept.lines),
    'latency.svg': latencyChart(accept.lines),
  };
  return {
    text: [
      aboutOf(report),
      tableOf('What the budget asks for', budgetsOf(report)),
      ...(isQuick ? [] : images),
      ...measuredTables(report),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    charts: isQuick ? {} : charts,
  };
}

function aboutOf({ commit, startedAt, tookSeconds, isQuick, machine }: BenchReport): string {
  const { cores, processor, memoryMb, node, postgres, redis, loadBefore } = machine;
  return (
    `${isQuick ? 'A quick run' : 'A whole run'} of ${startedAt.slice(0, 10)} at commit ${commit}, ${tookSeconds} s: ` +
    `${cores} cores (${processor}), ${memoryMb} MB, Node ${node}, PostgreSQL ${postgres}, Redis ${redis}; ` +
    `the load of the machine was ${loadBefore} before. Each figure is the median of its rounds, with the least and the most.`
  );
}

type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

function tableOf(title: string, { head, rows }: Table): string {
  if (rows.length === 0) return '';
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [`### ${title}`, '', ...lines].join('\n');
}

function budgetsOf(report: BenchReport): Table {
  const { accept, bulk, delivery, system, latency, costs } = report;
  const at = (value: number | undefined) => (value === undefined ? 'not measured' : number(value));
  const planned = medianOf(bulk?.lines, 'fanout', 'plannedPerSecond');
  const whole = report.whole_system_messages_per_s;
  const rows: [string, string, string][] = [
    ['keyed send, requests/s, of (a)', 'at least 2.0', at(accept?.ratios.send_keyed_vs_naive)],
    ['keyed send, requests/s, of (b)', 'at least 1.2', at(accept?.ratios.send_keyed_vs_naive_fast)],
    ['keyed send, p99, of (a)', 'at most 1', at(accept?.ratios.keyed_p99_vs_naive)],
    ['bulk, recipients/s', 'at least 50,000', at(report.bulk_recipients_per_s)],
    ['fanout, planned/s', 'at least 30,000', at(planned)],
    [
      'single sends beside a bulk, p99, of alone',
      'at most 2',
      at(bulk?.ratios.single_p99_beside_bulk_vs_alone),
    ],
    [
      'delivery, of a no-op worker, 100 in flight',
      'at least 0.6',
      at(delivery?.ratios.delivery_vs_noop),
    ],
    [
      'provider of 150 ms, of what is possible',
      'at least 0.9',
      at(delivery?.ratios.slow_provider_part_of_possible),
    ],
    ['whole system, messages/s', 'at least 3,000', at(whole)],
    ['accept to provider, idle, p50 ms', 'at most 10', at(latency?.idle.p50Ms)],
    ['accept to provider, idle, p99 ms', 'at most 50', at(latency?.idle.p99Ms)],
    ['Redis bytes a waiting message', 'at most 120', at(costs?.bytes.redisPerWaitingMessage)],
    ['memory of the gateway, MB', 'at most 200', at(system?.memoryMb['gateway'])],
    ['memory of the worker, MB', 'at most 180', at(system?.memoryMb['worker'])],
  ];
  return { head: ['what', 'goal', 'measured'], rows };
}

function measuredTables(report: BenchReport): string[] {
  const { accept, bulk, delivery, system, scale, latency, costs, limits } = report;
  return [
    tableOf(
      `Accepting, ${accept?.connections} connections`,
      linesTable(accept?.lines, acceptColumns),
    ),
    tableOf('Other numbers of connections', linesTable(accept?.otherConnections, acceptColumns)),
    tableOf('Bulk of 1,000', linesTable(bulk?.lines, bulkColumns)),
    tableOf('Delivery', linesTable(delivery?.lines, { perSecond: 'messages/s' })),
    tableOf(
      'The whole system',
      linesTable([...(system?.lines ?? []), ...(scale ?? [])], systemColumns),
    ),
    tableOf('Memory of the processes after it', fieldsTable({ MB: system?.memoryMb })),
    tableOf('Latency', fieldsTable({ idle: latency?.idle, 'half load': latency?.halfLoad })),
    tableOf(
      'In the stores',
      fieldsTable({ 'a keyed send': costs?.requests, 'a message': costs?.messages }),
    ),
    tableOf('Bytes', fieldsTable({ bytes: costs?.bytes })),
    tableOf(
      'Limits',
      fieldsTable({
        '/s':
          limits &&
          Object.fromEntries(Object.entries(limits).map(([name, { median }]) => [name, median])),
      }),
    ),
  ];
}

const acceptColumns = {
  perSecond: 'requests/s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  nodeCpuUs: 'Node us',
  redisCpuUs: 'Redis us',
  postgresCpuUs: 'PostgreSQL us',
};

const bulkColumns = {
  recipientsPerSecond: 'recipients/s',
  plannedPerSecond: 'planned/s',
  perSecond: 'sends/s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
};

const systemColumns = {
  acceptedPerSecond: 'accepted/s',
  messagesPerSecond: 'accepted and delivered/s',
  waitingAtEnd: 'waiting when the load ends',
  p99Ms: 'p99 ms',
};

function linesTable(lines: Line[] = [], columns: Record<string, string>): Table {
  return {
    head: ['', ...Object.values(columns)],
    rows: lines.map((line) => [
      nameOf(line.line),
      ...Object.keys(columns).map((name) => spreadText(line[name])),
    ]),
  };
}

function nameOf(line: string): string {
  const names: Record<string, string> = acceptNames;
  return names[line] ?? line;
}

function spreadText(spread: Line[string] | undefined): string {
  if (typeof spread !== 'object') return '';
  const { median, least, most } = spread;
  return `${number(median)} (${number(least)}-${number(most)})`;
}

function fieldsTable(columns: Record<string, Record<string, number> | undefined>): Table {
  const given = Object.entries(columns).flatMap(([name, fields]) =>
    fields ? [{ name, fields }] : [],
  );
  const names = [...new Set(given.flatMap(({ fields }) => Object.keys(fields)))];
  return {
    head: ['', ...given.map(({ name }) => name)],
    rows: names.map((name) => [
      words(name),
      ...given.map(({ fields }) => (fields[name] === undefined ? '' : number(fields[name]))),
    ]),
  };
}

/** `redisPerWaitingMessage` is "redis per waiting message". */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function number(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString('en') : String(value);
}

function medianOf(lines: Line[] | undefined, line: string, name: string): number | undefined {
  const spread = lines?.find((each) => each.line === line)?.[name];
  return typeof spread === 'object' ? spread.median : undefined;
}

function throughputChart(lines: Line[]): string {
  return barChartOf({
    title: 'Calls accepted, 64 connections',
    unit: 'requests a second',
    series: ['median'],
    groups: lines.map(({ line }) => ({
      label: nameOf(line),
      values: [medianOf(lines, line, 'perSecond') ?? 0],
    })),
  });
}

function latencyChart(lines: Line[]): string {
  return barChartOf({
    title: 'How long a call waits, 64 connections',
    unit: 'ms, less is better',
    series: ['p50', 'p99'],
    groups: lines.map(({ line }) => ({
      label: nameOf(line),
      values: ['p50Ms', 'p99Ms'].map((name) => medianOf(lines, line, name) ?? 0),
    })),
  });
}
