import { type Facts, isSuccess } from './check/facts';
import { type AttemptEntry, type FaultEntry, filterEntries } from './recording';

/** Time until full recovery, by kind of fault. */
export type Recovery = Record<
  string,
  { faults: number; p50Ms: number; p99Ms: number; timesMs: number[] }
>;

/**
 * For a worker that was ended or stopped: from then until the last attempt that it held was abandoned or ended. For a gateway: until its
 * next first answer. For anything else: from its repair until a call was accepted and a provider accepted a message.
 */
export function measureRecovery(facts: Facts): Recovery {
  const clock = createClock(facts);
  const times = new Map<string, number[]>();
  for (const fault of facts.faults) {
    const ms = clock(fault);
    const name = getFaultName(fault);
    if (ms !== undefined) times.set(name, [...(times.get(name) ?? []), ms]);
  }
  return Object.fromEntries(
    [...times].sort().map(([name, all]) => [
      name,
      {
        faults: all.length,
        p50Ms: percentile(all, 0.5),
        p99Ms: percentile(all, 0.99),
        timesMs: all.map(Math.round),
      },
    ]),
  );
}

/** The role of a process decides what its end delays. */
function getFaultName({ name, target }: FaultEntry): string {
  return name.startsWith('process.') ? `${name} ${getTargetKind(target)}` : name;
}

/** `gateway` for `gateway-1`, and `worker` for `deliver-sms`. */
export function getTargetKind(target: string): string {
  return target.startsWith('deliver-') ? 'worker' : target.replace(/-\d+$/, '');
}

function createClock(facts: Facts): (fault: FaultEntry) => number | undefined {
  const accepted = facts.calls.filter((call) => isSuccess(call) && !call.answer?.isReplay);
  const attempts = filterEntries(facts.entries, 'attempt');

  function firstAnswer(fromMs: number, gateway?: string): number | undefined {
    const next = accepted.filter(
      (call) => call.atMs >= fromMs && (gateway === undefined || call.gateway === gateway),
    );
    return leastAfter(
      fromMs,
      next.flatMap(({ answer }) => answer?.atMs ?? []),
    );
  }

  function whenServed(fromMs: number): number | undefined {
    const answeredMs = firstAnswer(fromMs);
    const sentMs = leastAfter(
      fromMs,
      facts.sends.map(({ atMs }) => atMs),
    );
    if (answeredMs === undefined || sentMs === undefined) return undefined;
    return Math.max(answeredMs, sentMs);
  }

  function measureOpenAttempts({ pid, atMs }: FaultEntry): number | undefined {
    const openAttempts = attempts.filter(
      (attempt) => attempt.pid === pid && isOpenAt(attempt, atMs),
    );
    const ends = openAttempts.map(({ closedMs }) => closedMs ?? facts.end.atMs);
    return ends.length === 0 ? undefined : ends.reduce((a, b) => Math.max(a, b)) - atMs;
  }

  return function clock(fault) {
    const { name, target, atMs, liftedMs } = fault;
    const kind = getTargetKind(target);
    if (kind === 'worker') return measureOpenAttempts(fault);
    if (kind !== 'gateway') return whenServed(liftedMs);
    return firstAnswer(name === 'process.stop' ? liftedMs : atMs, target);
  };
}

function isOpenAt({ openedMs, closedMs }: AttemptEntry, atMs: number): boolean {
  return openedMs <= atMs && (closedMs === undefined || closedMs > atMs);
}

/** Time to the next of these times; undefined if there is none. */
function leastAfter(fromMs: number, times: number[]): number | undefined {
  const later = times.filter((atMs) => atMs >= fromMs);
  return later.length === 0 ? undefined : later.reduce((a, b) => Math.min(a, b)) - fromMs;
}

export function percentile(numbers: number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
}
