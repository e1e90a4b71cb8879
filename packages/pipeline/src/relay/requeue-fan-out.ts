import type { FanOutJob } from '@belfry/shared';
import type { UnplannedOptions } from './relay.sql';

export type WakeFanOutDeps = {
  /** Requests whose items nobody planned for a while, by their id. */
  listUnplannedRequests(options: UnplannedOptions): Promise<string[]>;
  addFanOutJobs(jobs: FanOutJob[]): Promise<void>;
  /** How long a request may lie before its job is doubted. */
  requeueAfterMs: number;
};

export type WakeFanOut = {
  wake(): Promise<void>;
  /** Redis was emptied: every job is gone, and none of that was a failure. */
  forget(): void;
};

const requestsPerPage = 100;
const longestPauseMs = 5 * 60_000;
const maxRemembered = 10_000;

type Woken = { pauseMs: number; notBeforeMs: number };

/**
 * Gives unplanned requests a job again, each after a pause that doubles: one whose planning fails each time is not
 * tried without end, nor does it hide the others, as each round looks at the page behind the last one.
 */
export function createWakeFanOut(deps: WakeFanOutDeps): WakeFanOut {
  const { listUnplannedRequests, addFanOutJobs, requeueAfterMs } = deps;
  const woken = new Map<string, Woken>();
  let after: string | undefined;

  async function wake(): Promise<void> {
    const options = { olderThanMs: requeueAfterMs, limit: requestsPerPage };
    const page = await listUnplannedRequests({ ...options, after });
    after = page.length === requestsPerPage ? page.at(-1) : undefined;
    const now = performance.now();
    const toWake = page.filter((id) => now >= (woken.get(id)?.notBeforeMs ?? 0));
    if (toWake.length === 0) return;
    await addFanOutJobs(toWake.map((requestId) => ({ requestId })));
    for (const id of toWake) remember(id, now);
  }

  function remember(id: string, now: number): void {
    const pauseMs = Math.min((woken.get(id)?.pauseMs ?? requeueAfterMs / 2) * 2, longestPauseMs);
    woken.delete(id);
    woken.set(id, { pauseMs, notBeforeMs: now + pauseMs });
    for (const oldest of woken.keys()) {
      if (woken.size <= maxRemembered) return;
      woken.delete(oldest);
    }
  }

  return { wake, forget: () => woken.clear() };
}
