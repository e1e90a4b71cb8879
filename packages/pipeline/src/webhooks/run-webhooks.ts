import type { GuardedHttp } from '@belfry/channels';
import { createLoop, type Logger, type Loop, type Tracing } from '@belfry/runtime';
import type { Deadlines } from '../deliver/attempt';
import { createRunStep } from '../relay/run-step';
import type { ClaimedDelivery, ClaimOptions } from './claim.sql';
import { buildWebhookEvent } from './event';
import type { Failure, RecordedFailure } from './record.sql';
import { defaultWaitsMs, getNextWaitMs } from './schedule';
import { sendWebhook, type WebhookResult, webhookTimeoutMs } from './send';
import { endTrySpan, startTrySpan } from './try-span';

export type WebhooksDeps = {
  http: Pick<GuardedHttp, 'request'>;
  claim(options: ClaimOptions): Promise<ClaimedDelivery[]>;
  /** The signing secrets of a delivery's endpoint. */
  openSecrets(delivery: ClaimedDelivery): string[];
  recordSuccess(delivery: ClaimedDelivery, entry: WebhookResult['entry']): Promise<void>;
  recordFailure(delivery: ClaimedDelivery, failure: Failure): Promise<RecordedFailure | undefined>;
  /** Ends tries when the process must stop. */
  deadlines: Pick<Deadlines, 'begin' | 'isCut'>;
  countTry(outcome: 'delivered' | 'retry' | 'failed'): void;
  random(): number;
  /** Absent if traces are off. */
  tracing?: Tracing | undefined;
  log: Logger;
  /** Waits after failed tries. Tests shorten these three times. */
  waitsMs?: readonly number[];
  timeoutMs?: number;
  idleMs?: number;
};

export type Webhooks = Loop & {
  /** Claims due deliveries and starts to try them. */
  runOnce(): Promise<void>;
};

/** Tries of one process at once, and those to one endpoint. */
const maxRunning = 64;
const maxPerEndpoint = 8;
/** Between two claims, unless a try ends before. */
const defaultIdleMs = 500;
/** The time to record a try after its deadline. */
const recordMs = 15_000;

/**
 * Delivers webhooks. Any number of processes may run it: PostgreSQL gives each delivery to one of them, until its lease ends.
 * It needs no queue in Redis: the rate of webhooks is bounded by their receivers, and one claim serves up to 64 deliveries.
 */
export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { claim, log, timeoutMs = webhookTimeoutMs, idleMs = defaultIdleMs } = deps;
  const tryOnce = createTry(deps);
  const running = new Set<Promise<void>>();
  const runningByEndpoint = new Map<string, number>();
  const runStep = createRunStep(log);

  async function runOnce(): Promise<void> {
    const limit = maxRunning - running.size;
    if (limit <= 0) return;
    const leaseMs = timeoutMs + recordMs;
    const options = { limit, perEndpoint: maxPerEndpoint, running: runningByEndpoint, leaseMs };
    for (const delivery of (await runStep('claim webhooks', () => claim(options))) ?? []) {
      start(delivery);
    }
  }

  function start(delivery: ClaimedDelivery): void {
    const { endpointId } = delivery;
    const add = (change: number) => {
      const count = (runningByEndpoint.get(endpointId) ?? 0) + change;
      if (count > 0) runningByEndpoint.set(endpointId, count);
      else runningByEndpoint.delete(endpointId);
    };
    add(1);
    const work = tryOnce(delivery).finally(() => {
      add(-1);
      running.delete(work);
      // The next one of the endpoint may have waited for this one.
      loop.wake();
    });
    running.add(work);
  }

  const loop = createLoop(runOnce, () => idleMs);
  return {
    ...loop,
    runOnce,
    async close() {
      await loop.close();
      await Promise.all(running);
    },
  };
}

/** Makes one try and records it. Never rejects: a try that is not recorded is repeated after its lease. */
function createTry(deps: WebhooksDeps): (delivery: ClaimedDelivery) => Promise<void> {
  const { http, deadlines, tracing, log, timeoutMs = webhookTimeoutMs } = deps;
  const record = createRecord(deps);

  return async function tryDelivery(delivery) {
    const { id, url } = delivery;
    try {
      const secrets = deps.openSecrets(delivery);
      const body = JSON.stringify(buildWebhookEvent(delivery));
      const deadline = deadlines.begin(timeoutMs);
      const span = startTrySpan(delivery, tracing);
      const traceparent = span?.traceparent ?? delivery.facts?.traceparent ?? undefined;
      const call = { id, url, body, secrets, traceparent, signal: deadline.signal };
      const result = await sendWebhook(http, call).finally(deadline.end);
      if (span) endTrySpan(span, result);
      // It was aborted, because the process stops: that is no failure of the receiver.
      if (!result.isSuccess && deadlines.isCut()) return;
      await record(delivery, result);
    } catch (error) {
      log.error('webhook.try_failed', { webhook_id: id, app_id: delivery.appId, error });
    }
  };
}

function createRecord(deps: WebhooksDeps) {
  const { random, countTry, log, waitsMs = defaultWaitsMs } = deps;

  return async function record(
    delivery: ClaimedDelivery,
    { isSuccess, isGone, retryAfterMs, entry }: WebhookResult,
  ): Promise<void> {
    if (isSuccess) {
      await deps.recordSuccess(delivery, entry);
      countTry('delivered');
      return;
    }
    const failed = { failures: delivery.failures, retryAfterMs };
    const waitMs = getNextWaitMs(failed, { waitsMs, random });
    const recorded = await deps.recordFailure(delivery, { entry, waitMs, retryAfterMs, isGone });
    if (!recorded) return;
    countTry(recorded.outcome === 'failed' ? 'failed' : 'retry');
    if (!recorded.disabledReason) return;
    log.warn('webhook.endpoint_disabled', {
      app_id: delivery.appId,
      endpoint_id: delivery.endpointId,
      reason: recorded.disabledReason,
    });
  };
}
