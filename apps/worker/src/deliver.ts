import type { AttemptResult, Claim, ClaimedMessage } from '@belfry/database';
import type { Batcher, Logger, Metrics, Semaphore } from '@belfry/runtime';
import type { DeliverJob, Outcome } from '@belfry/shared';
import type { Claimed, Ended } from './attempt';
import { boundedJson } from './bounded-json';
import { type Backoff, brokenVersion, nextState } from './next-state';
import type { Recorder } from './recorder';

/** `claimedAtMs` is not later than the lease's begin by PostgreSQL's clock, see `Claimed`. */
export type TimedClaim = { claim: Claim; claimedAtMs: number };

export type DeliverDeps = {
  /** Messages of this channel that may be in flight at once. */
  slots: Semaphore;
  claims: Pick<Batcher<string, TimedClaim>, 'add'>;
  attempt(claimed: Claimed): Promise<Ended>;
  recorder: Pick<Recorder, 'record'>;
  /** An integration refused us, or works; best effort. */
  onIntegration(seen: { integrationId: string; refusal: string | undefined }): void;
  backoff: Backoff;
  countMessage: Metrics['countMessage'];
  log: Logger;
};

/** Delivers a job's messages, each claimed, attempted and recorded on its own, whatever becomes of the others. */
export type Deliver = {
  deliver(job: DeliverJob): Promise<void>;
  /** Claims nothing more; what waits for a slot is left to other workers. */
  stop(): void;
};

export function createDeliver(deps: DeliverDeps): Deliver {
  const { slots, claims, log } = deps;
  let isStopped = false;

  return {
    async deliver({ ids }) {
      // The job is over when all of its messages are, also where one fails: shutdown waits for jobs.
      const ended = await Promise.allSettled(ids.map(deliverOne));
      const failed = ended.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    },
    stop() {
      isStopped = true;
    },
  };

  async function deliverOne(id: string): Promise<void> {
    const release = await slots.acquire();
    try {
      if (isStopped) return;
      const { claim, claimedAtMs } = await claims.add(id);
      if (claim.kind === 'settled') {
        log.info('message.settled', { message_id: id, state: claim.state, reason: claim.reason });
      }
      if (claim.kind === 'claimed') await finish(deps, { message: claim.message, claimedAtMs });
    } finally {
      release();
    }
  }
}

async function finish(deps: DeliverDeps, claimed: Claimed): Promise<void> {
  const { message, claimedAtMs } = claimed;
  const ended = await deps.attempt(claimed);
  const result = resultOf(message, ended, deps.backoff);
  const isRecorded = await deps.recorder.record(result);
  tellIntegration(deps, message, ended.outcome);
  const { provider = 'none', outcome } = result;
  deps.countMessage({ channel: message.channel, provider, outcome });
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

function resultOf(message: ClaimedMessage, ended: Ended, backoff: Backoff): AttemptResult {
  const { outcome } = ended;
  return {
    messageId: message.id,
    attempt: message.attempt,
    outcome: outcome.outcome,
    reason: 'reason' in outcome ? outcome.reason : undefined,
    detail: outcome.detail,
    provider: ended.provider,
    providerMessageId: outcome.outcome === 'accepted' ? outcome.providerMessageId : undefined,
    request: boundedJson(ended.request),
    response: boundedJson(ended.response),
    notes: ended.notes ?? {},
    changes: ended.changes ?? [],
    inboxItem: ended.inboxItem,
    next: ended.failed
      ? { state: 'failed', reason: ended.failed }
      : nextState(
          {
            outcome,
            version: ended.channelVersion ?? brokenVersion,
            attemptsMade: message.attempt,
            unknownCount: message.unknownCount,
            integrationId: message.integrationId,
          },
          backoff,
        ),
  };
}

function tellIntegration(deps: DeliverDeps, message: ClaimedMessage, outcome: Outcome): void {
  const { integrationId } = message;
  if (integrationId === undefined) return;
  if (outcome.outcome === 'accepted') deps.onIntegration({ integrationId, refusal: undefined });
  if (outcome.outcome === 'rejected' && outcome.scope === 'integration' && !outcome.ownToken) {
    deps.onIntegration({ integrationId, refusal: outcome.detail ?? outcome.reason });
  }
}
