import type { MessageStage } from '@belfry/runtime';
import { acceptNames } from './accept-lines';
import type { BenchLine } from './bench-context';
import { findMedian, listBudgets } from './budgets';
import { renderBarChart } from './chart';
import type { BenchReport } from './run-bench';
import type { StageTime, StageTimes } from './stage-times';

/** The generated part of the page, and its charts. */
export function buildPerformancePage(report: BenchReport): {
  text: string;
  charts: Record<string, string>;
} {
  const { accept, latency, isQuick } = report;
  if (isQuick || !accept || !latency) {
    throw new Error(
      'The record is of a quick or partial run. Run `npm run bench` without options.',
    );
  }
  const images = [
    '![Accepted calls per second](charts/throughput.svg)',
    '![Response time](charts/latency.svg)',
  ];
  const charts = {
    'throughput.svg': renderThroughputChart(accept.lines),
    'latency.svg': renderLatencyChart(accept.lines),
  };
  return {
    text: [
      formatSummary(report),
      formatSection('Budget', buildBudgetTable(report)),
      ...images,
      ...formatMeasuredTables(report),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    charts,
  };
}

function formatSummary({ commit, startedAt, tookSeconds, machine }: BenchReport): string {
  const { cores, processor, memoryMb, node, postgres, redis, loadBefore } = machine;
  return (
    `Run on ${startedAt.slice(0, 10)} at commit ${commit}, ${tookSeconds} s: ` +
    `${cores} cores (${processor}), ${memoryMb} MB, Node ${node}, PostgreSQL ${postgres}, Redis ${redis}; ` +
    `load average ${loadBefore} before the run. Each figure is the median of its rounds, with minimum and maximum.`
  );
}

type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

function formatSection(title: string, table: Table): string {
  return table.rows.length === 0 ? '' : `### ${title}\n\n${formatTable(table)}`;
}

export function formatTable({ head, rows }: Table): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function buildBudgetTable(report: BenchReport): Table {
  return {
    head: ['what', 'goal', 'measured'],
    rows: listBudgets(report).map(([what, goal, value]) => [
      what,
      goal,
      value === undefined ? 'not measured' : formatNumber(value),
    ]),
  };
}

function formatMeasuredTables(report: BenchReport): string[] {
  return [...formatRates(report), ...formatCosts(report), ...formatStored(report)];
}

function formatRates({ accept, bulk, delivery, system, stored, latency }: BenchReport): string[] {
  const { connections, lines, otherConnections } = accept ?? {};
  return [
    formatSection(`Accepting, ${connections} connections`, buildLinesTable(lines, acceptColumns)),
    formatSection('Other numbers of connections', buildLinesTable(otherConnections, acceptColumns)),
    formatSection('Bulk of 1,000', buildLinesTable(bulk?.lines, bulkColumns)),
    formatSection('Delivery', buildLinesTable(delivery?.lines, deliveryColumns)),
    formatSection(
      'The whole system',
      buildLinesTable([...(system?.lines ?? []), ...(stored ?? [])], systemColumns),
    ),
    formatSection('Memory of the processes afterwards', buildFieldsTable({ MB: system?.memoryMb })),
    formatSection(
      'Latency',
      buildFieldsTable({
        idle: latency?.idle,
        'half load': latency?.halfLoad,
        '80 % load': latency?.highLoad,
      }),
    ),
    formatSection(
      'Capacity with a provider in another process',
      buildFieldsTable({ 'messages/s': latency && { delivered: latency.capacity } }),
    ),
    formatSection('Stages of a message, p50 / p99, ms', buildStagesTable(latency?.stages)),
  ];
}

function formatCosts({ costs, limits }: BenchReport): string[] {
  const medians = Object.entries(limits ?? {}).map(([name, { median }]) => [name, median]);
  return [
    formatSection(
      'Cost in the stores',
      buildFieldsTable({ 'a keyed send': costs?.requests, 'a message': costs?.messages }),
    ),
    formatSection('Bytes', buildFieldsTable({ bytes: costs?.bytes })),
    formatSection('Limits', buildFieldsTable({ measured: limits && Object.fromEntries(medians) })),
  ];
}

function formatStored({ page, pages, streams }: BenchReport): string[] {
  return [
    formatSection('The log in a browser', buildLinesTable(page, pageColumns)),
    formatSection('Pages beside a live load', buildPagesTable(pages)),
    formatSection('Inbox streams of one gateway', buildFieldsTable({ measured: streams })),
  ];
}

function buildStagesTable(
  stages: NonNullable<BenchReport['latency']>['stages'] | undefined,
): Table {
  if (!stages) return { head: [], rows: [] };
  const columns: [string, StageTimes][] = [
    ['idle', stages.idle],
    ['half load', stages.halfLoad],
    ['80 % load', stages.highLoad],
  ];
  return {
    head: ['stage', ...columns.map(([name]) => name)],
    // Safe cast: the names are those of the stages.
    rows: (Object.keys(stages.idle) as MessageStage[]).map((stage) => [
      stage,
      ...columns.map(([, { [stage]: time }]) => formatStage(time)),
    ]),
  };
}

/** Empty if no message passed the stage: JSON has `null` for its quantiles. */
function formatStage({ p50Ms, p99Ms }: StageTime): string {
  return Number.isFinite(p50Ms) ? `${p50Ms} / ${p99Ms}` : '';
}

function buildPagesTable(pages: BenchReport['pages']): Table {
  return {
    head: [`at ${formatNumber(pages?.messages ?? 0)} messages, ms`, 'p50', 'p95', 'longest'],
    rows: Object.entries(pages?.pages ?? {}).map(([name, { p50Ms, p95Ms, longestMs }]) => [
      name,
      ...[p50Ms, p95Ms, longestMs].map(formatNumber),
    ]),
  };
}

const pageColumns = {
  longTasks: 'tasks over 50 ms',
  longestMs: 'longest, ms',
  nodes: 'DOM nodes',
};

const cpuColumns = {
  nodeCpuUs: 'Node us',
  redisCpuUs: 'Redis us',
  postgresCpuUs: 'PostgreSQL us',
};

const acceptColumns = {
  perSecond: 'requests/s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  ...cpuColumns,
};

const bulkColumns = {
  recipientsPerSecond: 'recipients/s',
  plannedPerSecond: 'planned/s',
  perSecond: 'sends/s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  ...cpuColumns,
};

const deliveryColumns = {
  perSecond: 'messages/s',
  ...cpuColumns,
  claimP50Ms: '`claim`, p50 ms',
  callP50Ms: '`call`, p50 ms',
};

const systemColumns = {
  acceptedPerSecond: 'accepted/s',
  messagesPerSecond: 'accepted and delivered/s',
  waitingAtEnd: 'waiting at the end of the load',
  p99Ms: 'p99 ms',
};

export function buildLinesTable(lines: BenchLine[] = [], columns: Record<string, string>): Table {
  return {
    head: ['', ...Object.values(columns)],
    rows: lines.map((line) => [
      getLineName(line.line),
      ...Object.keys(columns).map((name) => formatSpread(line[name])),
    ]),
  };
}

function getLineName(line: string): string {
  const names: Record<string, string> = acceptNames;
  return names[line] ?? line;
}

export function formatSpread(spread: BenchLine[string] | undefined): string {
  if (typeof spread !== 'object') return '';
  const { median, least, most } = spread;
  return `${formatNumber(median)} (${formatNumber(least)}-${formatNumber(most)})`;
}

function buildFieldsTable(columns: Record<string, Record<string, number> | undefined>): Table {
  const filledColumns = Object.entries(columns).flatMap(([name, fields]) =>
    fields ? [{ name, fields }] : [],
  );
  const names = [...new Set(filledColumns.flatMap(({ fields }) => Object.keys(fields)))];
  return {
    head: ['', ...filledColumns.map(({ name }) => name)],
    rows: names.map((name) => [
      toWords(name),
      ...filledColumns.map(({ fields }) =>
        fields[name] === undefined ? '' : formatNumber(fields[name]),
      ),
    ]),
  };
}

/** `redisPerWaitingMessage` becomes "redis per waiting message". */
function toWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function formatNumber(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString('en') : String(value);
}

function renderThroughputChart(lines: BenchLine[]): string {
  return renderBarChart({
    title: 'Accepted calls, 64 connections',
    unit: 'requests per second',
    series: ['median'],
    groups: lines.map(({ line }) => ({
      label: getLineName(line),
      values: [findMedian(lines, line, 'perSecond') ?? 0],
    })),
  });
}

function renderLatencyChart(lines: BenchLine[]): string {
  return renderBarChart({
    title: 'Response time, 64 connections',
    unit: 'ms, lower is better',
    series: ['p50', 'p99'],
    groups: lines.map(({ line }) => ({
      label: getLineName(line),
      values: ['p50Ms', 'p99Ms'].map((name) => findMedian(lines, line, name) ?? 0),
    })),
  });
}
