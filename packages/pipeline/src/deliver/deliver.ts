import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxProvider, signalWithin, timeoutReason } from '@belfry/channels';
import type { IntegrationRevision } from '@belfry/database';
import {
  type Batcher,
  getTraceId,
  type Logger,
  type ObserveStage,
  type Semaphore,
  type Tracing,
} from '@belfry/runtime';
import { type DeliverJob, getFairnessKey } from '@belfry/shared';
import type { WakeReader } from '../operate/inbox-wakes';
import type { Attempt, Claimed } from './attempt';
import type { IntegrationReport } from './choose-integration';
import type { Claim, ClaimedMessage } from './claim.sql';
import { type HealthTally, judgeAttempt } from './integration-health';
import { type AttemptResultDeps, type FinishedAttempt, getAttemptResult } from './next-state';
import type { Limits, TokenAnswer } from './rate-limits';
import type { Recorder } from './record';
import { recordSpans } from './record-spans';
import type { RequeuedMessage } from './requeue.sql';
import {
  type Breaker,
  type Group,
  type ProviderConnections,
  type Release,
  type Reservation,
  type Slots,
  withSlots,
} from './slots';

/** `claimedAtMs` is not later than the lease's start by PostgreSQL's clock; see `Claimed`. */
export type TimedClaim = { claim: Claim; claimedAtMs: number };

export type DeliverDeps = AttemptResultDeps & {
  /** Messages of this channel that may be in flight at once, from the claim to the provider's response. */
  slots: Slots;
  /** Results that may wait to be stored. Beyond this a message keeps its slot, so results do not outrun PostgreSQL. */
  unstored: Semaphore;
  breaker: Breaker;
  health: Pick<HealthTally, 'record'>;
  limits: Pick<Limits, 'take' | 'applyRetryAfter'>;
  connections: ProviderConnections;
  /** The deadline of an attempt. */
  deadlineMs: number;
  /** Requeues a message for the relay. */
  requeue: Pick<Batcher<RequeuedMessage, undefined>, 'add'>;
  claims: Pick<Batcher<string, TimedClaim>, 'add'>;
  attempt: Attempt;
  recorder: Pick<Recorder, 'record'>;
  /** Reports that an integration refused a call or works. Best effort; never throws. */
  onIntegration(report: IntegrationReport): Promise<void>;
  /** Drops the texts of a sensitive message when nothing is left to send. Best effort; never throws. */
  dropTexts(messageId: string): Promise<void>;
  /** Announces an inbox item. Best effort; never throws. */
  wakeReader: WakeReader;
  countMessage(message: {
    appId: string;
    channel: string;
    provider: string;
    outcome: string;
  }): void;
  observeStage: ObserveStage;
  /** Absent if traces are off. */
  tracing?: Tracing | undefined;
  log: Logger;
};

/** Delivers a job's messages. Each is claimed, attempted and recorded independently of the others. */
export type Deliver = {
  deliver(job: DeliverJob): Promise<void>;
  /** Stops claiming; messages that wait for a slot are requeued. */
  stop(): void;
};

/**
 * Hold time for a blocked message before it is requeued. Meanwhile it uses capacity that the relay would fill with more
 * blocked messages, which would be requeued at once, again and again.
 */
const requeueDelayMs = 1_000;

/** How long a message waits for a connection before it is requeued. */
const connectionWaitMs = 5_000;
const forConnection = { waitMs: requeueDelayMs, why: 'connections' } as const;
const forStop = { waitMs: 0, why: 'stopping' } as const;
const unbounded: Reservation = { release: () => undefined };

/** How far beyond its deadline an attempt may end in a healthy worker. */
const overdueMs = 1_000;

export function createDeliver(deps: DeliverDeps): Deliver {
  const { slots, breaker, limits, connections, observeStage } = deps;
  const stopping = new AbortController();

  return {
    async deliver(job) {
      const takenAtMs = performance.now();
      const group = { name: job.fairnessKey, max: await connections.getMax(job.fairnessKey) };
      await withSlots(slots, job.ids, group, (id, release) =>
        deliverOne({ id, group, takenAtMs }, release),
      );
    },
    stop() {
      stopping.abort();
      slots.close();
    },
  };

  async function deliverOne(message: TakenMessage, release?: Release): Promise<void> {
    const { id, group } = message;
    if (!release) return requeue({ id, ...forStop });
    const waitMs = breaker.waitMs(group.name);
    if (waitMs !== undefined) {
      release();
      await delay(requeueDelayMs);
      return requeue({ id, waitMs, why: 'circuit' });
    }
    try {
      const tokens = await limits.take(group.name, id);
      if (!tokens || (tokens.isGranted && tokens.waitMs === 0))
        return await deliverNow(message, release);
      // Other messages use the slot meanwhile.
      release();
      await deliverLater(message, tokens);
    } finally {
      release();
    }
  }

  async function deliverLater(message: TakenMessage, { isGranted, waitMs }: TokenAnswer) {
    const { id, group } = message;
    if (!isGranted) return requeue({ id, waitMs, why: 'limit' });
    await delay(waitMs);
    const release = await slots.acquire(group);
    if (!release) return requeue({ id, ...forStop });
    await deliverNow(message, release).finally(release);
  }

  /** Reserves a connection before the claim: a claim starts the lease, and the outcome would be unknown if the worker died. */
  async function deliverNow(message: TakenMessage, release: Release): Promise<void> {
    const { id, group, takenAtMs } = message;
    const reserved = await reserve(id, group);
    if (!reserved) return requeue({ id, ...(stopping.signal.aborted ? forStop : forConnection) });
    observeStage('slot', performance.now() - takenAtMs);
    await claimAndFinish(deps, id, () => {
      reserved.release();
      release();
    }).finally(reserved.release);
  }

  async function reserve(messageId: string, { name: fairnessKey, max }: Group) {
    if (max === undefined) return unbounded;
    const { signal, clear } = signalWithin(stopping.signal, connectionWaitMs);
    return connections.reserve({ fairnessKey, messageId, signal }).finally(clear);
  }

  async function requeue(message: RequeuedMessage): Promise<void> {
    await deps.requeue.add(message);
  }

  /** Resolves early when the worker stops. */
  async function delay(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

/** A message of a job that a worker took; `takenAtMs` is by `performance.now()`. */
type TakenMessage = { id: string; group: Group; takenAtMs: number };

async function claimAndFinish(deps: DeliverDeps, id: string, release: Release): Promise<void> {
  const { claims, observeStage, log } = deps;
  const startedAtMs = performance.now();
  const { claim, claimedAtMs } = await claims.add(id);
  observeStage('claim', performance.now() - startedAtMs);
  if (claim.kind === 'settled') {
    const { state, reason } = claim;
    const trace_id = getTraceId(claim.traceparent);
    log.info('message.settled', { message_id: id, state, reason, trace_id });
    if (claim.state !== 'queued') await deps.dropTexts(id);
  }
  if (claim.kind !== 'claimed') return;
  await finish(deps, { message: claim.message, claimedAtMs }, release);
}

async function finish(deps: DeliverDeps, claimed: Claimed, release: Release): Promise<void> {
  const { message, claimedAtMs } = claimed;
  const ended = await observeAttempt(deps, claimed);
  recordHealth(deps, message, ended);
  const result = getAttemptResult(message, ended, deps);
  // Before the message is released: the next claim must see this.
  if (ended.outcome.outcome !== 'accepted') {
    await Promise.all([
      notifyRefusal(deps, message, ended),
      deps.limits.applyRetryAfter(message, ended.outcome),
    ]);
  }
  const endedAtMs = performance.now();
  const stored = await deps.unstored.acquire();
  // Free the slot: the next message is claimed and sent while this result is stored.
  release();
  const isRecorded = await deps.recorder.record(result).finally(stored);
  deps.observeStage('record', performance.now() - endedAtMs);
  if (isRecorded && ended.inboxItem) {
    deps.wakeReader({ appId: message.appId, userId: message.target });
  }
  notifyWorking(deps, message, ended);
  if (ended.isSensitive && result.next.dueAfterMs === undefined) await deps.dropTexts(message.id);
  const { provider = 'none', outcome } = result;
  // A skip is an expected refusal, so it is not counted as a failure.
  const counted = result.next.state === 'skipped' ? 'skipped' : outcome;
  if (!ended.notNow) {
    const { appId, channel } = message;
    deps.countMessage({ appId, channel, provider, outcome: counted });
  }
  if (deps.tracing) recordSpans(deps.tracing, { ...claimed, ended, result });
  deps.log.info('attempt.closed', {
    message_id: message.id,
    request_id: message.requestId,
    trace_id: getTraceId(message.traceparent),
    app_id: message.appId,
    channel: message.channel,
    attempt: message.attempt,
    provider: result.provider,
    outcome: result.outcome,
    reason: result.reason,
    state: isRecorded ? result.next.state : 'superseded',
    waits: result.next.waits,
    missing: result.notes['missing'],
    duration_ms: Math.round(performance.now() - claimedAtMs),
  });
}

async function observeAttempt(
  { attempt, observeStage }: DeliverDeps,
  claimed: Claimed,
): Promise<FinishedAttempt> {
  const startedAtMs = performance.now();
  const ended = await attempt(claimed);
  const { callMs = 0 } = ended;
  observeStage('compose', performance.now() - startedAtMs - callMs);
  if (ended.callMs !== undefined) observeStage('call', callMs);
  return ended;
}

async function notifyRefusal(
  { onIntegration }: DeliverDeps,
  message: ClaimedMessage,
  ended: FinishedAttempt,
): Promise<void> {
  const { outcome } = ended;
  const revision = findRevision(message, ended);
  if (!revision || outcome.outcome !== 'rejected') return;
  if (outcome.scope !== 'integration' || outcome.sparesIntegration) return;
  await onIntegration({ ...revision, refusal: outcome.detail ?? outcome.reason });
}

function notifyWorking(
  { onIntegration }: DeliverDeps,
  message: ClaimedMessage,
  ended: FinishedAttempt,
): void {
  const revision = findRevision(message, ended);
  if (!revision || ended.outcome.outcome !== 'accepted') return;
  void onIntegration({ ...revision, refusal: undefined });
}

/** Undefined if no integration was used. */
function findRevision(
  { integrationId }: ClaimedMessage,
  { integrationUpdatedAt: updatedAt }: FinishedAttempt,
): IntegrationRevision | undefined {
  return integrationId && updatedAt ? { integrationId, updatedAt } : undefined;
}

/**
 * Counts only what the provider did. The sandbox never times out unless the request asks for it. If the worker itself was
 * delayed, a timeout says nothing about the provider.
 */
function recordHealth(
  { breaker, deadlineMs, health }: DeliverDeps,
  message: ClaimedMessage,
  ended: FinishedAttempt,
): void {
  const { provider, outcome, callMs } = ended;
  const isTimeout = 'reason' in outcome && outcome.reason === timeoutReason;
  if (isTimeout && callMs !== undefined && callMs > deadlineMs + overdueMs) return;
  const isCall = callMs !== undefined && provider !== sandboxProvider;
  const circuitOpenMs = isCall
    ? breaker.recordOutcome(getFairnessKey(message), { isTimeout })
    : undefined;
  const revision = findRevision(message, ended);
  if (!revision || judgeAttempt(ended) === undefined) return;
  health.record({ ...revision, outcome, circuitOpenMs });
}
