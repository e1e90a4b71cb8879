import { timeoutReason } from '@belfry/channels';
import type { AttemptEntry, FaultEntry, MessageEntry, SendEntry } from '../recording';
import type { Facts } from './facts';

/** Why an attempt without a known outcome may have sent its message. Each cause is an event recorded when it happened. */
export type Cause =
  | 'reply_dropped'
  | 'reply_late'
  | 'worker_killed'
  | 'worker_stopped'
  | 'postgres_away';

export type Explained = { byCause: Cause[]; unexplained: number };

/** Each send beyond the first needs a cause, and an attempt of unknown outcome before another marked one. */
export function explainDuplicates(facts: Facts, message: MessageEntry): Explained {
  const extra = facts.listSends(message).length - 1;
  if (extra <= 0) return { byCause: [], unexplained: 0 };
  const attempts = facts.listAttempts(message.id);
  const causes = attempts.flatMap((attempt, index) => {
    const next = attempts[index + 1];
    if (!next || !isDoubted(attempt, next)) return [];
    return findCause(facts, message, { attempt, next }) ?? [];
  });
  const byCause = causes.slice(0, extra);
  return { byCause, unexplained: extra - byCause.length };
}

/** The outcome was unknown when the next attempt was opened, and the next attempt is marked. */
function isDoubted(attempt: AttemptEntry, next: AttemptEntry): boolean {
  if (!next.isPossibleDuplicate) return false;
  return attempt.outcome === 'unknown' || (attempt.closedMs ?? 0) > next.openedMs;
}

/** PostgreSQL rounds to milliseconds, and its clock and ours are read one after the other. */
const clockSlackMs = 100;

type Doubted = { attempt: AttemptEntry; next: AttemptEntry };

function findCause(facts: Facts, message: MessageEntry, doubted: Doubted): Cause | undefined {
  const { attempt, next } = doubted;
  const fromMs = attempt.openedMs - clockSlackMs;
  const toMs = (attempt.closedMs ?? facts.end.atMs) + clockSlackMs;
  // A provider may accept a call after the deadline. Before the next attempt, the call belongs to this one.
  const takenToMs = attempt.reason === timeoutReason ? Math.max(toMs, next.openedMs) : toMs;
  const sends = facts.listSends(message).filter(({ atMs }) => atMs >= fromMs && atMs <= takenToMs);
  const overlapping = facts.faults.filter(
    ({ atMs, liftedMs }) => atMs <= toMs && liftedMs >= fromMs,
  );
  const isItsWorker = ({ pid }: FaultEntry) => pid !== undefined && pid === attempt.pid;
  const own = overlapping.filter(isItsWorker);
  if (own.some(({ name }) => name === 'process.kill')) return 'worker_killed';
  if (own.some(({ name }) => name.startsWith('process.stop'))) return 'worker_stopped';
  // The checks below come later: a process that was killed receives no answer either.
  if (sends.some(({ isAnswered }) => !isAnswered)) return 'reply_dropped';
  if (overlapping.some((fault) => cutsOffPostgres(fault, attempt))) return 'postgres_away';
  const endMs = findAbandonedMs(facts, attempt) ?? toMs;
  return sends.some((send) => isLate(send, endMs, usedWholeDeadline(facts, attempt)))
    ? 'reply_late'
    : undefined;
}

/** If the answer had been sent long before, the attempt would not have ended without it. */
const lateSlackMs = 1_000;

function isLate({ atMs, answeredMs }: SendEntry, endMs: number, isWhole: boolean): boolean {
  return (isWhole || answeredMs - atMs > lateSlackMs) && answeredMs > endMs - lateSlackMs;
}

/** For an attempt that hit its deadline. Its recorded end is later by PostgreSQL's delay. */
function findAbandonedMs({ run }: Facts, { reason, openedMs }: AttemptEntry): number | undefined {
  return reason === timeoutReason ? openedMs + run.deadlineMs : undefined;
}

/** The attempt used its full deadline. On a busy machine the call may arrive as late as the answer. */
function usedWholeDeadline({ run }: Facts, { openedMs, closedMs }: AttemptEntry): boolean {
  return closedMs !== undefined && closedMs - openedMs >= run.deadlineMs;
}

function cutsOffPostgres({ name, target, pid }: FaultEntry, attempt: AttemptEntry): boolean {
  if (target === 'postgres') return true;
  return name.startsWith('postgres_link.') && pid === attempt.pid;
}
