import { check, type Verdict } from './check/check';
import { type Facts, readFacts, type Violation } from './check/facts';
import { type AttemptEntry, type Entry, filterEntries } from './recording';
import { getTargetKind, measureRecovery, type Recovery } from './recovery';

/** The written result of a run. */
export type Report = {
  isGood: boolean;
  keys: number;
  calls: number;
  messages: number;
  sends: number;
  /** Calls of the webhook receiver, and those that repeated a webhook. */
  webhooks: number;
  webhook_repeats: number;
  kills: number;
  /** Attempts recorded as accepted while a newer one was open: they must not settle the message. */
  late_results: number;
  lost: number;
  double_accepted: number;
  unsettled: number;
  duplicates: number;
  unexplained_duplicates: number;
  seed: number;
  commit: string;
  is_full: boolean;
  cores: number;
  seconds: number;
  kills_by_kind: Record<string, number>;
  faults_by_kind: Record<string, number>;
  duplicates_by_cause: Record<string, number>;
  recovery: Recovery;
  /** The first violation of each invariant, with the count. */
  violations: (Violation & { count: number })[];
};

/** A run with fewer faults than required proves nothing. */
export function reportOn(
  entries: readonly Entry[],
  least: { kills: number; lateResults: number },
): Report {
  const facts = readFacts(entries);
  const verdict = check(entries);
  const faults = facts.faults;
  const kills = faults.filter(({ isKill }) => isKill);
  const lateResults = countLateResults(facts);
  const violations = groupViolations(verdict);
  const { run, end } = facts;
  const isProof =
    kills.length >= least.kills &&
    lateResults >= least.lateResults &&
    facts.keys.length >= run.keys;
  return {
    isGood: isProof && violations.length === 0,
    keys: facts.keys.length,
    calls: facts.calls.length,
    messages: facts.messages.length,
    sends: facts.sends.length,
    ...countWebhooks(entries),
    kills: kills.length,
    late_results: lateResults,
    lost: verdict.lost,
    double_accepted: verdict.doubleAccepted,
    unsettled: verdict.unsettled,
    duplicates: verdict.duplicates,
    unexplained_duplicates: verdict.unexplainedDuplicates,
    seed: run.seed,
    commit: run.commit,
    is_full: run.isFull,
    cores: run.cores,
    seconds: Math.round((end.atMs - (filterEntries(entries, 'call')[0]?.atMs ?? 0)) / 1_000),
    kills_by_kind: countBy(kills, ({ name, target }) => killName(name, target)),
    faults_by_kind: countBy(faults, ({ name }) => name),
    duplicates_by_cause: verdict.duplicatesByCause,
    recovery: measureRecovery(facts),
    violations,
  };
}

function countWebhooks(entries: readonly Entry[]): Pick<Report, 'webhooks' | 'webhook_repeats'> {
  const ids = filterEntries(entries, 'webhook').map(({ id }) => id);
  return { webhooks: ids.length, webhook_repeats: ids.length - new Set(ids).size };
}

function countLateResults({ messages, listAttempts }: Facts): number {
  return messages.flatMap(({ id }) => {
    const attempts = listAttempts(id);
    return attempts.filter((attempt, index) => isLate(attempt, attempts.slice(index + 1)));
  }).length;
}

/** While one of the newer ones was open. */
function isLate({ closedMs, outcome }: AttemptEntry, newer: AttemptEntry[]): boolean {
  if (closedMs === undefined || outcome !== 'accepted') return false;
  return newer.some(
    (each) => closedMs > each.openedMs && closedMs < (each.closedMs ?? Number.POSITIVE_INFINITY),
  );
}

/** A killed process by its role: gateway, worker, relay; a store by the kind of kill. */
function killName(name: string, target: string): string {
  return name === 'process.kill' ? getTargetKind(target) : name;
}

function groupViolations({ violations }: Verdict): Report['violations'] {
  const firsts = new Map<string, Violation & { count: number }>();
  for (const violation of violations) {
    const existing = firsts.get(violation.invariant);
    if (existing) existing.count += 1;
    else firsts.set(violation.invariant, { ...violation, count: 1 });
  }
  return [...firsts.values()];
}

function countBy<T>(members: readonly T[], getName: (member: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const member of members) counts[getName(member)] = (counts[getName(member)] ?? 0) + 1;
  return counts;
}

/** The report as a table for people. */
export function formatChaosReport(report: Report): string {
  const rows: [string, string | number][] = [
    [
      'seed, commit',
      `${report.seed}, ${report.commit}${report.is_full ? ', one process per role' : ''}`,
    ],
    ['keys, calls, messages', `${report.keys}, ${report.calls}, ${report.messages}`],
    ['kills', `${report.kills}  (${formatCounts(report.kills_by_kind)})`],
    ['faults', formatCounts(report.faults_by_kind)],
    ['late results', report.late_results],
    ['webhooks', `${report.webhooks}, ${report.webhook_repeats} of them repeated`],
    ['lost', report.lost],
    ['double accepted', report.double_accepted],
    ['unsettled', report.unsettled],
    ['duplicates', `${report.duplicates}  (${formatCounts(report.duplicates_by_cause) || 'none'})`],
    ['unexplained duplicates', report.unexplained_duplicates],
    ...Object.entries(report.recovery).map(([name, { faults, p50Ms, p99Ms }]): [string, string] => [
      `recovery from ${name}`,
      `p50 ${p50Ms} ms, p99 ${p99Ms} ms (${faults})`,
    ]),
    ...report.violations.map(({ invariant, count, detail }): [string, string] => [
      `BROKEN: ${invariant}`,
      `${count} times; first: ${detail}`,
    ]),
    ['seconds', report.seconds],
    ['verdict', report.isGood ? 'good' : 'NOT GOOD'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function formatCounts(counts: Record<string, number>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
