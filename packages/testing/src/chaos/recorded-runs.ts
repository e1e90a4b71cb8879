import { percentile } from './recovery';
import type { Report } from './report';

/** The published part of runs, as Markdown, made from their reports. */
export function recordedRuns(reports: readonly Report[]): string {
  return [
    about(reports),
    formatTable(
      ['seed', ...reports.map(({ seed }) => String(seed))],
      figures.map(([name, read]) => [name, ...reports.map((report) => String(read(report)))]),
    ),
    recoveryText,
    formatTable(['after', 'times', 'p50', 'p99'], recoveryRows(reports)),
  ].join('\n\n');
}

function about(reports: readonly Report[]): string {
  const commits = joinUnique(reports.map(({ commit }) => commit));
  const cores = joinUnique(reports.map((report) => String(report.cores)));
  const processes = reports.every((report) => report.is_full)
    ? 'one process per role'
    : 'two workers with every role';
  return `Commit ${commits}, ${processes}, on ${cores} cores.`;
}

const figures: [string, (report: Report) => string | number][] = [
  ['keys', (report) => report.keys],
  ['calls', (report) => report.calls],
  ['messages', (report) => report.messages],
  ['provider calls', (report) => report.sends],
  ['seconds', (report) => report.seconds],
  ['kills', (report) => report.kills],
  ['kills by kind', (report) => formatCounts(report.kills_by_kind)],
  ['late results', (report) => report.late_results],
  ['lost', (report) => report.lost],
  ['accepted twice', (report) => report.double_accepted],
  ['unsettled', (report) => report.unsettled],
  ['duplicates', (report) => report.duplicates],
  ['duplicates by cause', (report) => formatCounts(report.duplicates_by_cause)],
  ['unexplained duplicates', (report) => report.unexplained_duplicates],
  ['broken invariants', (report) => report.violations.length],
];

function formatCounts(counts: Record<string, number>): string {
  const sortedEntries = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return sortedEntries.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}

const recoveryText = `Recovery in milliseconds over all of these runs. For a worker: until the last attempt that it held was abandoned (the lease is 12 s
here) or ended. For a gateway: until its next first answer. For all other faults: from the repair until a call was accepted and a message was sent.`;

function recoveryRows(reports: readonly Report[]): string[][] {
  const times = new Map<string, number[]>();
  for (const { recovery } of reports) {
    for (const [name, { timesMs }] of Object.entries(recovery)) {
      times.set(name, [...(times.get(name) ?? []), ...timesMs]);
    }
  }
  return [...times]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => [
      name,
      String(all.length),
      String(percentile(all, 0.5)),
      String(percentile(all, 0.99)),
    ]);
}

function joinUnique(texts: string[]): string {
  return [...new Set(texts)].join(', ');
}

function formatTable(head: string[], rows: string[][]): string {
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
