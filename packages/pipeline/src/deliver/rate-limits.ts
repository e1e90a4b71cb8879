import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyChannel, getMaxPerSecond, type ProviderRate } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';
import type { Logger, Secrets } from '@belfry/runtime';
import { getFairnessKey, type Outcome } from '@belfry/shared';
import { LRUCache } from 'lru-cache';
import type { ClaimedMessage } from './claim.sql';
import type { Bucket, Buckets, TokenAnswer, TokenRequest } from './rate-limit-buckets';
import type { WaitingFacts } from './waiting-message.sql';

/** How fast providers are called. */
export type Limits = {
  /**
   * Whether a message of the lane has its tokens, from `waitMs` on; where it has none, it is worth asking again then.
   * Undefined where nothing limits it.
   */
  take(fairnessKey: string, messageId: string): Promise<TokenAnswer | undefined>;
  /**
   * Ends when the call of a claimed message may leave: what was held up behind its token leaves one by one, over all
   * workers. False where that is too far away. Never throws.
   */
  pace(message: ClaimedMessage): Promise<boolean>;
  /** A provider asked for fewer calls: of its integration alone, or of one target. Best effort; never throws. */
  applyRetryAfter(message: ClaimedMessage, outcome: Outcome): Promise<void>;
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
const withoutRedis: TokenAnswer = { isGranted: false, waitMs: 1_000 };
/** Where a provider names no time. */
const defaultPauseMs = 1_000;
const longestPauseMs = 15 * 60_000;
/** Over it those are spread who wait for the end of one pause. */
const spreadMs = 5_000;
const maxFairnessKeys = 10_000;

export function createLimits(deps: LimitsDeps): Limits {
  const { buckets, findIntegration, log, random } = deps;
  /** Lanes of apps: they have no integration, and never get one. */
  const unlimitedKeys = new LRUCache<string, true>({ max: maxFairnessKeys });
  const lookForPause = createSharedLook((fairnessKey) =>
    buckets.requestTokens({
      buckets: [{ key: buildKey(deps, fairnessKey), intervalMs: 0, burst: 0 }],
      queue: 'single',
    }),
  );

  return {
    async take(fairnessKey, messageId) {
      if (unlimitedKeys.has(fairnessKey)) return undefined;
      const integration = await findIntegration(fairnessKey);
      const rate = integration && findRate(deps, integration);
      if (!rate) {
        unlimitedKeys.set(fairnessKey, true);
        return undefined;
      }
      if ((rate.perSecond ?? rate.getTargetRate) === undefined) return takeUnlimited(fairnessKey);
      const facts = await deps.readWaiting(messageId);
      if (!facts) return undefined;
      return buckets
        .requestTokens(buildTokenRequest(deps, { fairnessKey, rate, facts }))
        .catch(() => withoutRedis);
    },

    async pace({ appId, integrationId }) {
      if (integrationId === undefined) return true;
      const integration = await findIntegration(integrationId).catch(() => undefined);
      const perSecond = integration && findRate(deps, integration)?.perSecond;
      if (perSecond === undefined) return true;
      const key = buildKey(deps, getFairnessKey({ appId, integrationId }), callsTarget);
      return waitForCall(buckets, createCallBucket(key, perSecond));
    },

    async applyRetryAfter(message, outcome) {
      if (outcome.outcome !== 'retry' || !outcome.slows || message.integrationId === undefined) {
        return;
      }
      const { afterMs = defaultPauseMs, slows } = outcome;
      const waitMs = Math.min(afterMs, longestPauseMs);
      const integrationKey = buildKey(deps, getFairnessKey(message));
      const target = buildKey(deps, getFairnessKey(message), message.target);
      const pause =
        slows === 'target'
          ? { key: target, waitMs, whole: integrationKey }
          : { key: integrationKey, waitMs };
      await buckets
        .pause(pause)
        .catch((error: unknown) => log.warn('integration.not_paused', { error }));
    },
  };

  /** Only a pause can hold it up, and not knowing of one must not. */
  async function takeUnlimited(fairnessKey: string): Promise<TokenAnswer | undefined> {
    const answer = await lookForPause(fairnessKey).catch(() => undefined);
    if (!answer || answer.isGranted) return undefined;
    const { waitMs } = answer;
    return { isGranted: false, waitMs: waitMs + Math.round(random() * Math.min(waitMs, spreadMs)) };
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
  const requestedAtMs = performance.now();
  const answer = await buckets
    .requestTokens({ buckets: [bucket], queue: 'again' })
    .catch(() => undefined);
  if (!answer) return 0;
  if (answer.waitMs) await sleep(answer.waitMs);
  return answer.isGranted ? performance.now() - requestedAtMs - answer.waitMs : undefined;
}

/** Nothing is taken by it, so the messages of a lane that come while one asks share its answer. */
function createSharedLook(look: (fairnessKey: string) => Promise<TokenAnswer>) {
  const looking = new Map<string, Promise<TokenAnswer>>();
  return function lookForPause(fairnessKey: string): Promise<TokenAnswer> {
    const pending = looking.get(fairnessKey);
    if (pending !== undefined) return pending;
    const lookup = look(fairnessKey).finally(() => looking.delete(fairnessKey));
    looking.set(fairnessKey, lookup);
    return lookup;
  };
}

/** Undefined for what calls nobody. */
function findRate(
  { channel }: LimitsDeps,
  { provider: name, settings }: IntegrationRow,
): ProviderRate | undefined {
  const provider = Object.hasOwn(channel.providers, name) ? channel.providers[name] : undefined;
  if (!provider) return undefined;
  const perSecond = getMaxPerSecond(settings, provider.rate);
  return { ...provider.rate, ...(perSecond === undefined ? {} : { perSecond }) };
}

type LimitedMessage = { fairnessKey: string; rate: ProviderRate; facts: WaitingFacts };

function buildTokenRequest(
  deps: LimitsDeps,
  { fairnessKey, rate, facts }: LimitedMessage,
): TokenRequest {
  const { target, isBulk, hasWaited } = facts;
  const targetRate = rate.getTargetRate?.(target);
  const buckets: Bucket[] = [createBucket(buildKey(deps, fairnessKey), rate.perSecond)];
  if (targetRate) {
    const { everyMs: intervalMs, burst } = targetRate;
    buckets.push({ key: buildKey(deps, fairnessKey, target), intervalMs, burst });
  }
  if (hasWaited) return { buckets, queue: 'again' };
  return { buckets, queue: isBulk ? 'bulk' : 'single' };
}

/**
 * Calls that get their tokens one after the other may arrive together, when something held them up on the way. So a bucket
 * fills slower than the limit and holds little: there is room for what is a tenth of a second late.
 */
const fill = 0.9;
const burstSeconds = 0.05;

function createBucket(key: string, perSecond: number | undefined): Bucket {
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
const callsTarget = '\ncalls';

function createCallBucket(key: string, perSecond: number): Bucket {
  return { key, intervalMs: 1_000 / (perSecond * callFill), burst: 1 };
}

const keyCharacters = 22;

/** A target is somebody's address: Redis has nothing of it. */
function buildKey({ secrets }: LimitsDeps, fairnessKey: string, target = ''): string {
  return secrets
    .fingerprint('limit', `${fairnessKey}\n${target}`)
    .toString('base64url')
    .slice(0, keyCharacters);
}
