import { type Logger, withinTime } from '@belfry/runtime';
import type { RunningRole } from './parts';

export type EndRolesDeps = {
  roles: Pick<RunningRole, 'close'>[];
  /** Ends every attempt that is in flight; each is recorded as what is known of it. */
  cut(): void;
  shutdownTimeoutMs: number;
  log: Logger;
};

/**
 * Ends the roles in bounded time. What is in flight ends by itself; what does not is cut off, and is on record
 * as not sent, or as unknown; what cannot be recorded, because PostgreSQL is away, is left to its lease.
 */
export async function endRoles({
  roles,
  cut,
  shutdownTimeoutMs,
  log,
}: EndRolesDeps): Promise<void> {
  const { cutAfterMs, leaveAfterMs } = getEndTimes(shutdownTimeoutMs);
  // All at once: a role that is told last would go on claiming what it has no time left to end.
  const ended = Promise.all(roles.map((role) => role.close())).then(() => true);
  if (await withinTime(ended, cutAfterMs)) return;
  log.warn('shutdown.cut_off');
  cut();
  if (await withinTime(ended, leaveAfterMs - cutAfterMs)) return;
  log.warn('shutdown.left_to_leases');
}

const cutBeforeEndMs = 8_000;
const leaveBeforeEndMs = 5_000;

/** When attempts are cut off, and when they are left; the rest is for closing the connections. */
export function getEndTimes(timeoutMs: number): { cutAfterMs: number; leaveAfterMs: number } {
  return {
    cutAfterMs: Math.max(timeoutMs - cutBeforeEndMs, timeoutMs / 2),
    leaveAfterMs: Math.max(timeoutMs - leaveBeforeEndMs, (timeoutMs * 3) / 4),
  };
}

/** Beyond the longest attempt: for recording it and for closing everything. */
const afterAttemptMs = 10_000;

/** A process that is not told otherwise takes as long as what it may have in flight. */
export function getShutdownTimeoutMs(configuredMs: number, deadlinesMs: number[]): number {
  if (configuredMs > 0) return configuredMs;
  return Math.max(...deadlinesMs, shortestDeadlineMs) + afterAttemptMs;
}

/** Of a process that sends nothing, which is given as long as one that does. */
const shortestDeadlineMs = 15_000;
