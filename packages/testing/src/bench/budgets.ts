import { acceptNames } from './accept-lines';
import type { BenchLine } from './bench-context';
import type { BenchReport } from './run-bench';
import { round } from './statistics';

export type Budget = [what: string, goal: string, measured: number | undefined];

/** The goals of the benchmark beside what a run measured. */
export function listBudgets(report: BenchReport): Budget[] {
  const { accept, bulk, delivery, system, latency, costs } = report;
  const ratios = accept?.ratios;
  const alone = bulk?.ratios.single_p99_beside_bulk_vs_alone;
  const slowProvider = delivery?.ratios.slow_provider_part_of_possible;
  const perWaiting = costs?.bytes.redisPerWaitingMessage;
  const planned = findMedian(bulk?.lines, 'fanout', 'plannedPerSecond');
  return [
    ['keyed send, requests/s, relative to (a)', 'at least 0.9', ratios?.send_keyed_vs_naive],
    ['keyed send, requests/s, relative to (d)', 'at least 3.0', ratios?.send_keyed_vs_by_hand],
    ...listConnectionBudgets(accept),
    ['keyed send, p99, relative to (a)', 'at most 1', ratios?.keyed_p99_vs_naive],
    ['bulk, recipients/s', 'at least 50,000', report.bulk_recipients_per_s],
    ['fanout, planned/s', 'at least 30,000', planned],
    ['fanout, relative to COPY into the indexed table', 'at least 0.9', compareToCopy(report)],
    ['single sends beside a bulk, p99, relative to alone', 'at most 2', alone],
    [
      'delivery, 100 in flight, relative to a no-op worker',
      'at least 0.6',
      delivery?.ratios.delivery_vs_noop,
    ],
    ['provider of 150 ms, share of the possible rate', 'at least 0.95', slowProvider],
    ['whole system, messages/s', 'at least 3,000', report.whole_system_messages_per_s],
    ['accept to provider, idle, p50 ms', 'at most 10', latency?.idle.p50Ms],
    ['accept to provider, idle, p99 ms', 'at most 50', latency?.idle.p99Ms],
    ...listLoadBudgets(latency),
    ['Redis bytes per waiting message', 'at most 120', perWaiting],
    ['memory of the gateway, MB', 'at most 200', system?.memoryMb['gateway']],
    ['memory of the worker, MB', 'at most 180', system?.memoryMb['worker']],
    ...listIdleBudgets(report.idle),
    ...listPageBudgets(report.pages),
  ];
}

/** Only a full run measures other numbers of connections. */
function listConnectionBudgets(accept: BenchReport['accept']): Budget[] {
  const lines = accept?.otherConnections ?? [];
  if (lines.length === 0) return [];
  return [1, 16].map((count) => {
    const [keyed, byHand] = [acceptNames.keyed, acceptNames.byHand].map((name) =>
      findMedian(lines, `${name}, ${count} connections`, 'perSecond'),
    );
    return [
      `keyed send, requests/s, relative to (d), connections: ${count}`,
      'at least 1',
      keyed && byHand && round(keyed / byHand),
    ];
  });
}

function compareToCopy({ bulk, limits }: BenchReport): number | undefined {
  const planned = findMedian(bulk?.lines, 'fanout', 'plannedPerSecond');
  return planned && limits && round(planned / limits.copyIndexedRowsPerSecond.median);
}

const pageGoalMs = 50;

function listPageBudgets(pages: BenchReport['pages']): Budget[] {
  if (!pages) return [];
  const times = Object.values(pages.pages).map(({ p95Ms }) => p95Ms);
  const fast = times.filter((ms) => ms <= pageGoalMs).length;
  const where = `at ${pages.messages.toLocaleString('en')} messages`;
  return [
    [`slowest page ${where}, p95 ms`, `at most ${pageGoalMs}`, Math.max(...times)],
    [`pages ${where} with a p95 of at most ${pageGoalMs} ms`, `all ${times.length}`, fast],
  ];
}

function listLoadBudgets(latency: BenchReport['latency']): Budget[] {
  const relative = (name: 'p50Ms' | 'p99Ms') =>
    latency && round(latency.halfLoad[name] / latency.idle[name]);
  return [
    ['accept to provider, half load, p50, relative to idle', 'at most 3', relative('p50Ms')],
    ['accept to provider, half load, p99, relative to idle', 'at most 5', relative('p99Ms')],
    ['accept to provider, 80 % load, p99 ms', 'under 500', latency?.highLoad.p99Ms],
    ['messages late by over 1 s at the end of 80 % load', 'none', latency?.highLoad.backlogAtEnd],
  ];
}

function listIdleBudgets(idle: BenchReport['idle']): Budget[] {
  if (!idle) return [];
  const { processes, secondStart } = idle;
  const members = Object.entries(processes);
  return [
    ...members
      .filter(([name]) => name !== 'dashboard')
      .map(
        ([name, { wakeUps }]): Budget => [
          `wake-ups at rest, per second: ${name}`,
          'at most 10',
          wakeUps,
        ],
      ),
    ...members.map(
      ([name, { memoryMb }]): Budget => [`memory at rest, MB: ${name}`, 'at most 90', memoryMb],
    ),
    ['memory at rest, MB: supervisor of npm start', 'at most 90', secondStart.supervisorMemoryMb],
    ['npm start, second time, seconds until ready', 'at most 4', secondStart.readySeconds],
  ];
}

export function findMedian(
  lines: BenchLine[] | undefined,
  line: string,
  name: string,
): number | undefined {
  const spread = lines?.find((each) => each.line === line)?.[name];
  return typeof spread === 'object' ? spread.median : undefined;
}
