import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyChannel, maxPerSecondOf, type ProviderRate } from '@belfry/channels';
import type { ClaimedMessage, IntegrationRow, WaitingFacts } from '@belfry/database';
import type { Logger, Secrets } from '@belfry/runtime';
import { laneOf, type Outcome } from '@belfry/shared';
import { LRUCache } from 'lru-cache';
import type { Answer, Ask, Bucket, Buckets } from './buckets';

/** How fast providers are called. */
export type Limits = {
  /**
   * Whether a message of the lane has its tokens, from `waitMs` on; where it has none, it is worth asking again then.
   * Undefined where nothing limits it.
   */
  take(lane: string, messageId: string): Promise<Answer | undefined>;
  /**
   * Ends when the call of a claimed message may leave: what was held up behind its token leaves one by one, over all
   * workers. False where that is too far away. Never throws.
   */
  pace(message: ClaimedMessage): Promise<boolean>;
  /** A provider asked for fewer calls: of its integration alone, or of one target. Best effort; never throws. */
  slowDown(message: ClaimedMessage, outcome: Outcome): Promise<void>;
};

export type LimitsDeps = {
  channel: AnyChannel;
  buckets: Buckets;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  /** Of one that is still queued. */
  readWaiting(messageId: string): Promise<WaitingFacts | undefined>;
  secrets: Pick<Secrets, 'fingerprint'>;
  random(): number;
  log: Logger;
};

/** Without Redis no token is given. */
const withoutRedis: Answer = { isGiven: false, waitMs: 1_000 };
/** Where a provider names no time. */
const defaultPauseMs = 1_000;
const longestPauseMs = 15 * 60_000;
/** Over it those are spread who wait for the end of one pause. */
const spreadMs = 5_000;
const maxLanes = 10_000;

export function createLimits(deps: LimitsDeps): Limits {
  const { buckets, findIntegration, log, random } = deps;
  /** Lanes of apps: they have no integration, and never get one. */
  const free = new LRUCache<string, true>({ max: maxLanes });
  const lookForPause = createSharedLook((lane) =>
    buckets.ask({ buckets: [{ key: keyOf(deps, lane), intervalMs: 0, burst: 0 }], line: 'single' }),
  );

  return {
    async take(lane, messageId) {
      if (free.has(lane)) return undefined;
      const integration = await findIntegration(lane);
      const rate = integration && rateOf(deps, integration);
      if (!rate) {
        free.set(lane, true);
        return undefined;
      }
      const isLimited = rate.perSecond !== undefined || rate.ofTarget !== undefined;
      if (!isLimited) return takeUnlimited(lane);
      const facts = await deps.readWaiting(messageId);
      if (!facts) return undefined;
      return buckets.ask(askOf(deps, { lane, rate, facts })).catch(() => withoutRedis);
    },

    async pace({ appId, integrationId }) {
      if (integrationId === undefined) return true;
      const integration = await findIntegration(integrationId).catch(() => undefined);
      const perSecond = integration && rateOf(deps, integration)?.perSecond;
      if (perSecond === undefined) return true;
      return waitForCall(
        buckets,
        callBucketOf(keyOf(deps, laneOf({ appId, integrationId }), callsOf), perSecond),
      );
    },

    async slowDown(message, outcome) {
      if (outcome.outcome !== 'retry' || !outcome.slows || message.integrationId === undefined) {
        return;
      }
      const { afterMs = defaultPauseMs, slows } = outcome;
      const waitMs = Math.min(afterMs, longestPauseMs);
      const whole = keyOf(deps, laneOf(message));
      const target = keyOf(deps, laneOf(message), message.target);
      const pause = slows === 'target' ? { key: target, waitMs, whole } : { key: whole, waitMs };
      await buckets
        .pause(pause)
        .catch((error: unknown) => log.warn('integration.not_paused', { error }));
    },
  };

  /** Only a pause can hold it up, and not knowing of one must not. */
  async function takeUnlimited(lane: string): Promise<Answer | undefined> {
    const answer = await lookForPause(lane).catch(() => undefined);
    if (!answer || answer.isGiven) return undefined;
    const { waitMs } = answer;
    return { isGiven: false, waitMs: waitMs + Math.round(random() * Math.min(waitMs, spreadMs)) };
  }
}

async function waitForCall(buckets: Buckets, bucket: Bucket): Promise<boolean> {
  const startedAtMs = performance.now();
  let missed = 0;
  while (performance.now() - startedAtMs < longestPaceMs) {
    const lateMs = await waitForToken(buckets, bucket);
    if (lateMs === undefined) continue;
    if (lateMs <= mostLateMs || missed === mostMissed) return true;
    missed += 1;
  }
  return false;
}

/** How long ago its time was; undefined where it has none yet. Without Redis a call leaves: nobody gets another token. */
async function waitForToken(buckets: Buckets, bucket: Bucket): Promise<number | undefined> {
  const askedAtMs = performance.now();
  const answer = await buckets.ask({ buckets: [bucket], line: 'again' }).catch(() => undefined);
  if (!answer) return 0;
  if (answer.waitMs) await sleep(answer.waitMs);
  return answer.isGiven ? performance.now() - askedAtMs - answer.waitMs : undefined;
}

/** Nothing is taken by it, so the messages of a lane that come while one asks share its answer. */
function createSharedLook(look: (lane: string) => Promise<Answer>) {
  const looking = new Map<string, Promise<Answer>>();
  return function lookForPause(lane: string): Promise<Answer> {
    const known = looking.get(lane);
    if (known !== undefined) return known;
    const asked = look(lane).finally(() => looking.delete(lane));
    looking.set(lane, asked);
    return asked;
  };
}

/** Undefined for what calls nobody. */
function rateOf(
  { channel }: LimitsDeps,
  { provider: name, settings }: IntegrationRow,
): ProviderRate | undefined {
  const provider = Object.hasOwn(channel.providers, name) ? channel.providers[name] : undefined;
  if (!provider) return undefined;
  const perSecond = maxPerSecondOf(settings, provider.rate);
  return { ...provider.rate, ...(perSecond === undefined ? {} : { perSecond }) };
}

type Asked = { lane: string; rate: ProviderRate; facts: WaitingFacts };

function askOf(deps: LimitsDeps, { lane, rate, facts }: Asked): Ask {
  const { target, isBulk, hasWaited } = facts;
  const ofTarget = rate.ofTarget?.(target);
  const buckets: Bucket[] = [bucketOf(keyOf(deps, lane), rate.perSecond)];
  if (ofTarget) {
    const { everyMs: intervalMs, burst } = ofTarget;
    buckets.push({ key: keyOf(deps, lane, target), intervalMs, burst });
  }
  if (hasWaited) return { buckets, line: 'again' };
  return { buckets, line: isBulk ? 'bulk' : 'single' };
}

/**
 * Calls that get their tokens one after the other may arrive together, when something held them up on the way. So a bucket
 * fills slower than the limit and holds little: there is room for what is a tenth of a second late.
 */
const fill = 0.9;
const burstSeconds = 0.05;

function bucketOf(key: string, perSecond: number | undefined): Bucket {
  if (perSecond === undefined) return { key, intervalMs: 0, burst: 0 };
  const burst = Math.max(1, Math.floor(perSecond * burstSeconds));
  return { key, intervalMs: 1_000 / (perSecond * fill), burst };
}

/** Of calls that have their token: a little faster than tokens come, so that no line of them stays. */
const callFill = 0.95;
/** How long `pace` takes at most; a lease has as much beyond its deadline. */
export const longestPaceMs = 3_000;
/** A call that was held up behind its time leaves at a later one, not together with those whose time has come. */
const mostLateMs = 50;
/** Where a machine is late each time, it is late and not idle. */
const mostMissed = 2;
/** In place of a target; no target has a line break. */
const callsOf = '\ncalls';

function callBucketOf(key: string, perSecond: number): Bucket {
  return { key, intervalMs: 1_000 / (perSecond * callFill), burst: 1 };
}

const keyCharacters = 22;

/** A target is somebody's address: Redis has nothing of it. */
function keyOf({ secrets }: LimitsDeps, lane: string, target = ''): string {
  return secrets
    .fingerprint('limit', `${lane}\n${target}`)
    .toString('base64url')
    .slice(0, keyCharacters);
}
