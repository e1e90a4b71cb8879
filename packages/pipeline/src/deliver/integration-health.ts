import { sandboxProvider } from '@belfry/channels';
import type { IntegrationResults, IntegrationRevision } from '@belfry/database';
import { createLoop, type Logger, type Loop, withinTime } from '@belfry/runtime';
import type { Outcome } from '@belfry/shared';
import type { FinishedAttempt } from './next-state';

export type AttemptHealth = IntegrationRevision & {
  outcome: Outcome;
  /** How long the circuit stays open, if the attempt opened it. */
  circuitOpenMs: number | undefined;
};

export type HealthTally = Loop & {
  /** Counts a result for or against the integration. Results that say nothing about it must be left out. */
  record(attempt: AttemptHealth): void;
  /** Writes the results since the last flush; `start` repeats it. */
  flush(): Promise<void>;
};

export type HealthTallyDeps = {
  write(results: IntegrationResults[]): Promise<void>;
  now(): number;
  log: Logger;
};

/** An attempt's result for its integration. Undefined if it is neither a success nor the integration's fault. */
export function judgeAttempt({
  outcome,
  provider,
  notNow,
  failed,
}: FinishedAttempt): 'success' | 'failure' | undefined {
  const isLive = provider !== undefined && provider !== sandboxProvider;
  if (!isLive || notNow || failed) return undefined;
  if (outcome.outcome === 'accepted') return 'success';
  return isIntegrationFault(outcome) ? 'failure' : undefined;
}

function isIntegrationFault(outcome: Exclude<Outcome, { outcome: 'accepted' }>): boolean {
  // The worker's own error.
  if (outcome.reason === 'internal') return false;
  switch (outcome.outcome) {
    case 'rejected':
      return outcome.scope === 'integration' && !outcome.sparesIntegration && !outcome.skip;
    case 'retry':
      return !outcome.sparesIntegration && outcome.slows !== 'target';
    case 'unknown':
      return true;
  }
}

const flushEveryMs = 5_000;
/** Maximum integrations to keep while PostgreSQL is unavailable; others are not counted. */
const maxRemembered = 10_000;
const closeTimeoutMs = 500;

type Result = Omit<IntegrationResults, 'successMsAgo' | 'failureMsAgo' | 'circuitOpenMs'> & {
  successAtMs: number | undefined;
  failureAtMs: number | undefined;
  circuitOpenUntilMs: number | undefined;
};

/** Collects the results of this process off the send path. Best effort: nothing else depends on it. */
export function createHealthTally({ write, now, log }: HealthTallyDeps): HealthTally {
  let results = new Map<string, Result>();
  let isMissing = false;
  const loop = createLoop(flush, () => flushEveryMs);

  function record({ integrationId, updatedAt, ...attempt }: AttemptHealth): void {
    const last = results.get(integrationId);
    if (last ? last.updatedAt > updatedAt : results.size >= maxRemembered) return;
    const isSame = last?.updatedAt.getTime() === updatedAt.getTime();
    const result = isSame ? last : createResult({ integrationId, updatedAt });
    results.set(integrationId, result);
    addAttempt(result, attempt, now());
  }

  async function flush(): Promise<void> {
    if (results.size === 0) return;
    const flushed = results;
    results = new Map();
    const flushedAtMs = now();
    try {
      await write([...flushed.values()].map((result) => toRow(result, flushedAtMs)));
      isMissing = false;
    } catch (error) {
      for (const [id, older] of flushed) results.set(id, addOlder(results.get(id), older));
      // Log an outage once, not on every flush.
      if (!isMissing) log.warn('integration_health.not_written', { error });
      isMissing = true;
    }
  }

  return {
    record,
    flush,
    start: loop.start,
    async close() {
      await loop.close();
      await withinTime(flush(), closeTimeoutMs);
    },
  };
}

function createResult(revision: IntegrationRevision): Result {
  return {
    ...revision,
    succeeded: 0,
    failed: 0,
    failuresInRow: 0,
    successAtMs: undefined,
    failureAtMs: undefined,
    error: undefined,
    circuitOpenUntilMs: undefined,
  };
}

function addAttempt(
  result: Result,
  { outcome, circuitOpenMs }: Pick<AttemptHealth, 'outcome' | 'circuitOpenMs'>,
  atMs: number,
): void {
  if (outcome.outcome === 'accepted') {
    result.succeeded += 1;
    result.failuresInRow = 0;
    result.successAtMs = atMs;
    result.circuitOpenUntilMs = undefined;
    return;
  }
  result.failed += 1;
  result.failuresInRow += 1;
  result.failureAtMs = atMs;
  result.error = outcome.detail ?? outcome.reason;
  if (circuitOpenMs !== undefined) result.circuitOpenUntilMs = atMs + circuitOpenMs;
}

function addOlder(newer: Result | undefined, older: Result): Result {
  if (!newer || newer.updatedAt < older.updatedAt) return older;
  // The integration was saved in between.
  if (newer.updatedAt > older.updatedAt) return newer;
  const hasSucceeded = newer.successAtMs !== undefined;
  return {
    ...newer,
    succeeded: newer.succeeded + older.succeeded,
    failed: newer.failed + older.failed,
    failuresInRow: newer.failuresInRow + (hasSucceeded ? 0 : older.failuresInRow),
    successAtMs: newer.successAtMs ?? older.successAtMs,
    failureAtMs: newer.failureAtMs ?? older.failureAtMs,
    error: newer.error ?? older.error,
    circuitOpenUntilMs:
      newer.circuitOpenUntilMs ?? (hasSucceeded ? undefined : older.circuitOpenUntilMs),
  };
}

function toRow(
  { successAtMs, failureAtMs, circuitOpenUntilMs, ...result }: Result,
  nowMs: number,
): IntegrationResults {
  return {
    ...result,
    successMsAgo: successAtMs === undefined ? undefined : nowMs - successAtMs,
    failureMsAgo: failureAtMs === undefined ? undefined : nowMs - failureAtMs,
    circuitOpenMs: circuitOpenUntilMs === undefined ? undefined : circuitOpenUntilMs - nowMs,
  };
}
