import type { GuardedHttp } from '@belfry/channels';
import { createLoop, type Logger, type Loop } from '@belfry/runtime';

export type OutgoingHeartbeatDeps = {
  /** Empty: no heartbeat. */
  url: string;
  http: GuardedHttp;
  /** Whether PostgreSQL and Redis answer and the relay works. May reject. */
  isWorking(): Promise<boolean>;
  everyMs: number;
  log: Logger;
};

export type OutgoingHeartbeat = Loop & {
  /** One heartbeat; `start` repeats it. */
  runOnce(): Promise<void>;
};

export const heartbeatEveryMs = 60_000;
const timeoutMs = 10_000;
const maxResponseBytes = 64 * 1024;

/** Calls the URL of an outside monitor while the installation works, so that the monitor notices when it stops. */
export function createOutgoingHeartbeat(deps: OutgoingHeartbeatDeps): OutgoingHeartbeat {
  const { url, http, isWorking, everyMs, log } = deps;
  const loop = createLoop(runOnce, () => everyMs);
  let hasFailed = false;

  async function runOnce(): Promise<void> {
    if (!(await isWorking().catch(() => false))) return;
    const answer = await http
      .request({ method: 'GET', url, signal: AbortSignal.timeout(timeoutMs), maxResponseBytes })
      .catch(() => ({ failed: 'refused' as const, detail: 'The URL cannot be called.' }));
    report('status' in answer ? describeStatus(answer.status) : answer.detail);
  }

  /** One line for each outage. The URL is a secret. */
  function report(reason: string | undefined): void {
    if (reason === undefined && hasFailed) log.info('heartbeat_url.restored');
    if (reason !== undefined && !hasFailed) log.warn('heartbeat_url.failed', { reason });
    hasFailed = reason !== undefined;
  }

  return {
    runOnce,
    start: url === '' ? () => undefined : loop.start,
    async close() {
      await loop.close();
      http.close();
    },
  };
}

function describeStatus(status: number): string | undefined {
  return status >= 200 && status < 300 ? undefined : `HTTP status ${status}.`;
}
