import type { Logger } from './log';
import { withinTime } from './within-time';

/** Result of a check. Each refusal is a sentence that ends with what to do. */
export type Findings = { refusals: string[]; warnings: string[] };

/** `read` rejects if the service does not answer. */
export type StartCheck = { name: string; read(): Promise<Findings> };

/** A service is available, but this process must not use it. */
export class StartRefusedError extends Error {
  readonly refusals: string[];

  constructor(refusals: string[]) {
    super(['This process cannot start:'].concat(refusals.map((text) => `  ${text}`)).join('\n'));
    this.name = 'StartRefusedError';
    this.refusals = refusals;
  }
}

export type StartChecksDeps = {
  checks: StartCheck[];
  /** Called if a service was unavailable at startup and fails its check later. */
  onRefused(error: StartRefusedError): void;
  log: Logger;
};

export type StartChecks = {
  /** Rejects with StartRefusedError. An unavailable service does not block: it is checked when it is available. */
  run(): Promise<void>;
  stop(): void;
};

const readTimeoutMs = 5_000;
const repeatAfterMs = 1_000;

export function createStartChecks({ checks, onRefused, log }: StartChecksDeps): StartChecks {
  let isStopped = false;
  const timers = new Set<NodeJS.Timeout>();
  const loggedReasons = new Map<string, string>();

  return {
    async run() {
      const results = await Promise.all(checks.map(readOnce));
      const refusals = results.flatMap((findings) => findings?.refusals ?? []);
      if (refusals.length > 0) throw new StartRefusedError(refusals);
      for (const [index, check] of checks.entries()) {
        if (results[index]) continue;
        log.warn('start.check_waits', { name: check.name });
        repeat(check);
      }
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };

  async function readOnce({ name, read }: StartCheck): Promise<Findings | undefined> {
    const findings = await withinTime(
      read().catch((error: unknown) => logFailure(name, error)),
      readTimeoutMs,
    );
    for (const reason of findings?.warnings ?? []) log.warn('start.warning', { name, reason });
    return findings;
  }

  /** Logs each reason once: the check repeats every second. */
  function logFailure(name: string, error: unknown): undefined {
    const reason = String(error);
    if (loggedReasons.get(name) !== reason) log.warn('start.check_failed', { name, error });
    loggedReasons.set(name, reason);
  }

  /** Repeats until the service answers or the process ends. */
  function repeat(check: StartCheck): void {
    if (isStopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void readOnce(check).then((findings) => {
        if (!findings) return repeat(check);
        log.info('start.checked', { name: check.name });
        if (findings.refusals.length > 0 && !isStopped) {
          onRefused(new StartRefusedError(findings.refusals));
        }
      });
    }, repeatAfterMs);
    timer.unref();
    timers.add(timer);
  }
}
