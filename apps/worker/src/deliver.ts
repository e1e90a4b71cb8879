import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxProvider, signalWithin, timeoutReason } from '@belfry/channels';
import type { Claim, ClaimedMessage, PutBack } from '@belfry/database';
import type { Batcher, Logger, Semaphore } from '@belfry/runtime';
import { type DeliverJob, laneOf, type Outcome } from '@belfry/shared';
import type { Claimed, Ended } from './attempt';
import { type AttemptResultDeps, getAttemptResult } from './attempt-result';
import type { Breaker } from './breaker';
import type { Answer } from './buckets';
import type { LaneConnections, Reservation } from './lane-connections';
import type { Limits } from './limits';
import type { Recorder } from './recorder';
import type { Lane, Release, Slots } from './slots';

/** `claimedAtMs` is not later than the lease's begin by PostgreSQL's clock, see `Claimed`. */
export type TimedClaim = { claim: Claim; claimedAtMs: number };

export type DeliverDeps = AttemptResultDeps & {
  /** Messages of this channel that may be in flight at once, from the claim to the provider's answer. */
  slots: Slots;
  /** Results that may wait to be stored; beyond them a message keeps its slot, so that no more are made than PostgreSQL takes. */
  unstored: Semaphore;
  breaker: Breaker;
  limits: Pick<Limits, 'take' | 'slowDown'>;
  connections: LaneConnections;
  /** Of an attempt. */
  deadlineMs: number;
  /** Gives a message back to the relay. */
  putBack: Pick<Batcher<PutBack, undefined>, 'add'>;
  claims: Pick<Batcher<string, TimedClaim>, 'add'>;
  attempt(claimed: Claimed): Promise<Ended>;
  recorder: Pick<Recorder, 'record'>;
  /** An integration refused us, or works; best effort, and never throws. */
  onIntegration(seen: { integrationId: string; refusal: string | undefined }): Promise<void>;
  /** Drops what a sensitive message said, once nothing is to be sent any more. Best effort; never throws. */
  dropTexts(messageId: string): Promise<void>;
  countMessage(message: {
    appId: string;
    channel: string;
    provider: string;
    outcome: string;
  }): void;
  log: Logger;
};

/** Delivers a job's messages, each claimed, attempted and recorded on its own, whatever becomes of the others. */
export type Deliver = {
  deliver(job: DeliverJob): Promise<void>;
  /** Claims nothing more; what waits for a slot is left to other workers. */
  stop(): void;
};

/**
 * How long what may not be sent stays here before it goes back: meanwhile it takes the room that the relay would give
 * to more of the same, which would go round and round.
 */
const heldMs = 1_000;

/** How long a message waits here for a connection before it goes back. */
const connectionWaitMs = 5_000;
const forConnection = { waitMs: heldMs, why: 'connections' } as const;
const forStop = { waitMs: 0, why: 'stopping' } as const;
const unbounded: Reservation = { release: () => undefined };

/** How much later than its deadline an attempt ends in a worker that runs. */
const heldUpMs = 1_000;

export function createDeliver(deps: DeliverDeps): Deliver {
  const { slots, breaker, limits, connections, claims, log } = deps;
  const stopping = new AbortController();

  return {
    async deliver(job) {
      const lane = { name: job.lane, max: await connections.getMax(job.lane) };
      await withSlots(slots, job.ids, lane, (id, release) => deliverOne(id, lane, release));
    },
    stop() {
      stopping.abort();
      slots.close();
    },
  };

  async function deliverOne(id: string, lane: Lane, release: Release | undefined): Promise<void> {
    if (!release) return putBack({ id, ...forStop });
    const waitMs = breaker.waitMs(lane.name);
    if (waitMs !== undefined) {
      release();
      await hold(heldMs);
      return putBack({ id, waitMs, why: 'shut' });
    }
    try {
      const tokens = await limits.take(lane.name, id);
      if (!tokens || (tokens.isGiven && tokens.waitMs === 0))
        return await deliverNow(id, lane, release);
      // Others go by meanwhile.
      release();
      await deliverLater(id, lane, tokens);
    } finally {
      release();
    }
  }

  async function deliverLater(id: string, lane: Lane, { isGiven, waitMs }: Answer) {
    if (!isGiven) return putBack({ id, waitMs, why: 'limit' });
    await hold(waitMs);
    const release = await slots.acquire(lane);
    if (!release) return putBack({ id, ...forStop });
    await deliverNow(id, lane, release).finally(release);
  }

  /** What gets no connection is not claimed: its lease would begin, and a worker that dies would leave it in doubt. */
  async function deliverNow(id: string, lane: Lane, release: Release): Promise<void> {
    const reserved = await reserve(id, lane);
    if (!reserved) return putBack({ id, ...(stopping.signal.aborted ? forStop : forConnection) });
    await claimAndFinish(id, () => {
      reserved.release();
      release();
    }).finally(reserved.release);
  }

  async function reserve(messageId: string, { name: lane, max }: Lane) {
    if (max === undefined) return unbounded;
    const { signal, clear } = signalWithin(stopping.signal, connectionWaitMs);
    return connections.reserve({ lane, messageId, signal }).finally(clear);
  }

  async function claimAndFinish(id: string, release: Release): Promise<void> {
    const { claim, claimedAtMs } = await claims.add(id);
    if (claim.kind === 'settled') {
      log.info('message.settled', { message_id: id, state: claim.state, reason: claim.reason });
      if (claim.state !== 'queued') await deps.dropTexts(id);
    }
    if (claim.kind !== 'claimed') return;
    await finish(deps, { message: claim.message, claimedAtMs }, release);
  }

  async function putBack(message: PutBack): Promise<void> {
    await deps.putBack.add(message);
  }

  /** Ends early, without a word, when the worker stops. */
  async function hold(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

type DeliverOne = (id: string, release: Release | undefined) => Promise<void>;

/**
 * Over when all messages of the job are, also where one fails: shutdown waits for jobs. Many wait, and for long: of a message
 * that waits for its slot there is nothing but its id.
 */
function withSlots(
  slots: Slots,
  ids: readonly string[],
  lane: Lane,
  deliverOne: DeliverOne,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = 0;
    let open = ids.length;
    let end: () => void = resolve;
    function endOne(): void {
      open -= 1;
      if (open === 0) end();
    }
    function failOne(error: unknown): void {
      end = () => reject(error);
      endOne();
    }
    if (open === 0) resolve();
    slots.acquireEach(lane, open, (release) => {
      const id = ids[begun] ?? '';
      begun += 1;
      void deliverOne(id, release).then(endOne, failOne);
    });
  });
}

async function finish(deps: DeliverDeps, claimed: Claimed, release: Release): Promise<void> {
  const { message, claimedAtMs } = claimed;
  const ended = await deps.attempt(claimed);
  noteTimeout(deps, message, ended);
  const result = getAttemptResult(message, ended, deps);
  // Before the message is free: who claims it next must know.
  if (ended.outcome.outcome !== 'accepted') {
    await Promise.all([
      tellRefusal(deps, message, ended.outcome),
      deps.limits.slowDown(message, ended.outcome),
    ]);
  }
  const stored = await deps.unstored.acquire();
  // The next message is claimed and sent while this result is stored.
  release();
  const isRecorded = await deps.recorder.record(result).finally(stored);
  tellWorking(deps, message, ended.outcome);
  if (ended.isSensitive && result.next.dueAfterMs === undefined) await deps.dropTexts(message.id);
  const { provider = 'none', outcome } = result;
  // A refusal that was to be expected is counted apart from those that are failures.
  const counted = result.next.state === 'skipped' ? 'skipped' : outcome;
  if (!ended.notNow) {
    const { appId, channel } = message;
    deps.countMessage({ appId, channel, provider, outcome: counted });
  }
  deps.log.info('attempt.closed', {
    message_id: message.id,
    request_id: message.requestId,
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

async function tellRefusal(
  { onIntegration }: DeliverDeps,
  { integrationId }: ClaimedMessage,
  outcome: Outcome,
): Promise<void> {
  if (integrationId === undefined || outcome.outcome !== 'rejected') return;
  if (outcome.scope !== 'integration' || outcome.ownToken) return;
  await onIntegration({ integrationId, refusal: outcome.detail ?? outcome.reason });
}

function tellWorking(
  { onIntegration }: DeliverDeps,
  { integrationId }: ClaimedMessage,
  { outcome }: Outcome,
): void {
  if (integrationId === undefined || outcome !== 'accepted') return;
  void onIntegration({ integrationId, refusal: undefined });
}

/**
 * Only what the provider did counts. The sandbox hangs only when it is asked to; and a worker that was itself held up knows
 * nothing of the provider.
 */
function noteTimeout(
  { breaker, deadlineMs }: DeliverDeps,
  message: ClaimedMessage,
  { provider, outcome, callMs }: Ended,
): void {
  if (callMs === undefined || provider === sandboxProvider) return;
  const isTimeout = 'reason' in outcome && outcome.reason === timeoutReason;
  if (isTimeout && callMs > deadlineMs + heldUpMs) return;
  breaker.note(laneOf(message), { isTimeout });
}
