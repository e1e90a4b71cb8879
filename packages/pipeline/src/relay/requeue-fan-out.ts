import type { FanOutJob } from '@belfry/shared';
import type { UnplannedOptions } from './relay.sql';

export type WakeFanOutDeps = {
  /** Requests whose items have been unplanned for `olderThanMs`, by id. */
  listUnplannedRequests(options: UnplannedOptions): Promise<string[]>;
  addFanOutJobs(jobs: FanOutJob[]): Promise<void>;
  /** How long a request may be unplanned before its job is requeued. */
  requeueAfterMs: number;
};

export type WakeFanOut = {
  wake(): Promise<void>;
  /** Redis was emptied: all jobs are gone, so their pauses are cleared. */
  forget(): void;
};

const requestsPerPage = 100;
const longestPauseMs = 5 * 60_000;
const maxRemembered = 10_000;

type Woken = { pauseMs: number; notBeforeMs: number };

/**
 * Requeues unplanned requests, each after a pause that doubles up to 5 minutes. So a request whose planning always fails
 * is not retried constantly. It does not hide other requests either, because each run reads the next page.
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
