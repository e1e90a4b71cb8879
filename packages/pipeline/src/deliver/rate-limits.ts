import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyChannel, getMaxPerSecond, type ProviderRate } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';
import {
  addHashTag,
  createBatcher,
  type Logger,
  type RedisConnection,
  runRedisScript,
  type Secrets,
} from '@belfry/runtime';
import { getFairnessKey, type Outcome } from '@belfry/shared';
import { LRUCache } from 'lru-cache';
import type { ClaimedMessage } from './claim.sql';
import { pauseScript, requestScript } from './rate-limits.redis';
import type { WaitingFacts } from './waiting-message.sql';

/** Rate limits of providers. */
export type Limits = {
  /**
   * Requests tokens for a message. If granted, it may be sent after `waitMs`; if not, retry after `waitMs`. Undefined if
   * nothing limits it.
   */
  take(fairnessKey: string, messageId: string): Promise<TokenAnswer | undefined>;
  /**
   * Resolves when the call of a claimed message may start. Calls that were delayed after their token are released one at a
   * time, over all workers. Resolves with false if the wait exceeds 3 s. Never throws.
   */
  pace(message: ClaimedMessage): Promise<boolean>;
  /** Pauses an integration, or one target of it, as its provider asked. Best effort; never throws. */
  applyRetryAfter(message: ClaimedMessage, outcome: Outcome): Promise<void>;
};

export type LimitsDeps = {
  channel: AnyChannel;
  buckets: Buckets;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  /** Reads a message that is still queued. */
  readWaiting(messageId: string): Promise<WaitingFacts | undefined>;
  secrets: Pick<Secrets, 'fingerprint'>;
  random(): number;
  log: Logger;
};

/** Without Redis no token is granted. */
const withoutRedis: TokenAnswer = { isGranted: false, waitMs: 1_000 };
/** Used if the provider names no time. */
const defaultPauseMs = 1_000;
const longestPauseMs = 15 * 60_000;
/** Spreads messages that wait for the end of one pause over this time. */
const spreadMs = 5_000;
const maxFairnessKeys = 10_000;

export function createLimits(deps: LimitsDeps): Limits {
  const { buckets, findIntegration, log, random } = deps;
  /** Fairness keys of apps: they have no integration and never get one. */
  const unlimitedKeys = new LRUCache<string, true>({ max: maxFairnessKeys });
  const readPause = createSharedRead((fairnessKey) =>
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
          ? { key: target, waitMs, parentKey: integrationKey }
          : { key: integrationKey, waitMs };
      await buckets
        .pause(pause)
        .catch((error: unknown) => log.warn('integration.not_paused', { error }));
    },
  };

  /** Only a pause can delay the message. If reading it fails, the message is sent. */
  async function takeUnlimited(fairnessKey: string): Promise<TokenAnswer | undefined> {
    const answer = await readPause(fairnessKey).catch(() => undefined);
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

/**
 * Returns how many ms after its time the token was used; undefined if none was granted. Without Redis it returns 0, so the
 * call starts: no other call gets a token either.
 */
async function waitForToken(buckets: Buckets, bucket: Bucket): Promise<number | undefined> {
  const requestedAtMs = performance.now();
  const answer = await buckets
    .requestTokens({ buckets: [bucket], queue: 'again' })
    .catch(() => undefined);
  if (!answer) return 0;
  if (answer.waitMs) await sleep(answer.waitMs);
  return answer.isGranted ? performance.now() - requestedAtMs - answer.waitMs : undefined;
}

/** Checking takes no token, so concurrent messages with one fairness key share the response. */
function createSharedRead(read: (fairnessKey: string) => Promise<TokenAnswer>) {
  const pendingReads = new Map<string, Promise<TokenAnswer>>();
  return function readPause(fairnessKey: string): Promise<TokenAnswer> {
    const pending = pendingReads.get(fairnessKey);
    if (pending !== undefined) return pending;
    const newRead = read(fairnessKey).finally(() => pendingReads.delete(fairnessKey));
    pendingReads.set(fairnessKey, newRead);
    return newRead;
  };
}

/** Undefined if the channel does not have the integration’s provider. */
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
 * Calls that get their tokens one after the other may still reach the provider together if they are delayed on the way. So
 * a bucket fills slower than the limit and holds few tokens, which tolerates delays of a tenth of a second.
 */
const fill = 0.9;
const burstSeconds = 0.05;

function createBucket(key: string, perSecond: number | undefined): Bucket {
  if (perSecond === undefined) return { key, intervalMs: 0, burst: 0 };
  const burst = Math.max(1, Math.floor(perSecond * burstSeconds));
  return { key, intervalMs: 1_000 / (perSecond * fill), burst };
}

/** Rate for calls that have their token. Slightly faster than tokens, so that no queue builds up. */
const callFill = 0.95;
/** The longest time that `pace` takes; a lease lasts this much longer than its deadline. */
export const longestPaceMs = 3_000;
/** A call that is later than this takes a new time, so that it does not start together with others. */
const mostLateMs = 50;
/** After two missed times the call starts anyway: this machine is always late. */
const mostMissed = 2;
/** Used instead of a target; no target has a line break. */
const callsTarget = '\ncalls';

function createCallBucket(key: string, perSecond: number): Bucket {
  return { key, intervalMs: 1_000 / (perSecond * callFill), burst: 1 };
}

const keyCharacters = 22;

/** Hashed, because a target is personal data and must not be in Redis. */
function buildKey({ secrets }: LimitsDeps, fairnessKey: string, target = ''): string {
  return secrets
    .fingerprint('limit', `${fairnessKey}\n${target}`)
    .toString('base64url')
    .slice(0, keyCharacters);
}

/** A token bucket: one token each `intervalMs`, up to `burst`. An interval of 0 means no limit, only pauses. */
export type Bucket = { key: string; intervalMs: number; burst: number };

export type TokenRequest = {
  /** Takes a token from every bucket, or from none. */
  buckets: Bucket[];
  /** Waiting requests of one queue get times one after the other. `again` is for messages that waited before. */
  queue: 'again' | 'single' | 'bulk';
};

export type Pause = {
  key: string;
  waitMs: number;
  /** Paused as well after three pauses of its keys within 10 s. */
  parentKey?: string;
};

/** If granted, the tokens are valid after `waitMs`. Otherwise retry after `waitMs`. */
export type TokenAnswer = { isGranted: boolean; waitMs: number };

/** Token buckets that all workers share, in Redis and by its clock. */
export type Buckets = {
  /** Rejects if Redis is unavailable. */
  requestTokens(request: TokenRequest): Promise<TokenAnswer>;
  pause(pause: Pause): Promise<void>;
};

const requestsPerScript = 100;
const maxRequestsWaiting = 100_000;

export function createBuckets({
  redis,
  prefix,
}: {
  redis: RedisConnection;
  prefix: string;
}): Buckets {
  const tagged = addHashTag(prefix, 'limit');
  const toRedisKey = (key: string) => `${tagged}:limit:${key}`;
  const batcher = createBatcher<TokenRequest, TokenAnswer>({
    async flush(requests) {
      const keys = [...new Set(requests.flatMap(({ buckets }) => buckets.map(({ key }) => key)))];
      const answers = await runRedisScript(redis, requestScript, {
        keys: ['since', ...keys].map(toRedisKey),
        args: [JSON.stringify(requests.map((request) => toWire(request, keys)))],
      });
      // The script returns a number for each request; a negative one means not granted.
      return (answers as number[]).map((wait) => ({
        isGranted: wait >= 0,
        waitMs: Math.abs(wait),
      }));
    },
    maxBatch: requestsPerScript,
    maxWaiting: maxRequestsWaiting,
  });
  return {
    requestTokens: (request) => batcher.add(request),
    async pause({ key, waitMs, parentKey }) {
      const keys = parentKey === undefined ? [key] : [key, parentKey, `${parentKey}:paused`];
      await runRedisScript(redis, pauseScript, { keys: keys.map(toRedisKey), args: [waitMs] });
    },
  };
}

/** `k` is the index in the script's KEYS, whose first one is `since`. */
function toWire({ buckets, queue: line }: TokenRequest, keys: string[]) {
  return {
    line,
    // Bulk leaves the last token to single sends.
    need: line === 'bulk' ? 2 : 1,
    buckets: buckets.map(({ key, intervalMs, burst }) => ({
      k: keys.indexOf(key) + 2,
      interval: intervalMs,
      burst,
    })),
  };
}
