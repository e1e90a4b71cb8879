import { type Logger, withinTime } from '@belfry/runtime';
import type { RunningRole } from './composition';

export type EndRolesDeps = {
  roles: Pick<RunningRole, 'close'>[];
  /** Aborts every attempt in flight. Each is recorded with the outcome known so far. */
  cut(): void;
  shutdownTimeoutMs: number;
  log: Logger;
};

/**
 * Closes the roles in bounded time. Attempts in flight get time to finish. The rest are aborted and recorded as not sent
 * or `unknown`. If PostgreSQL is unavailable, attempts that could not be recorded are left to their leases.
 */
export async function endRoles({
  roles,
  cut,
  shutdownTimeoutMs,
  log,
}: EndRolesDeps): Promise<void> {
  const { cutAfterMs, leaveAfterMs } = getEndTimes(shutdownTimeoutMs);
  // All roles close at once. One that closed later would go on claiming messages that it has no time to finish.
  const ended = Promise.all(roles.map((role) => role.close())).then(() => true);
  if (await withinTime(ended, cutAfterMs)) return;
  log.warn('shutdown.cut_off');
  cut();
  if (await withinTime(ended, leaveAfterMs - cutAfterMs)) return;
  log.warn('shutdown.left_to_leases');
}

const cutBeforeEndMs = 8_000;
const leaveBeforeEndMs = 5_000;

/** When to abort attempts, and when to stop waiting for them. The remaining time is for closing connections. */
export function getEndTimes(timeoutMs: number): { cutAfterMs: number; leaveAfterMs: number } {
  return {
    cutAfterMs: Math.max(timeoutMs - cutBeforeEndMs, timeoutMs / 2),
    leaveAfterMs: Math.max(timeoutMs - leaveBeforeEndMs, (timeoutMs * 3) / 4),
  };
}

/** Time after the longest attempt to record it and close everything. */
const afterAttemptMs = 10_000;

/** Without a configured timeout, the longest attempt that may be in flight determines it. */
export function getShutdownTimeoutMs(configuredMs: number, deadlinesMs: number[]): number {
  if (configuredMs > 0) return configuredMs;
  return Math.max(...deadlinesMs, shortestDeadlineMs) + afterAttemptMs;
}

/** A process that sends nothing gets at least the time of one that does. */
const shortestDeadlineMs = 15_000;
