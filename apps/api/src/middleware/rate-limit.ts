import type { Awaitable } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Call } from '../call';

/** Counts a call of an account, and throws `rate_limited` if it exceeds the limit. */
export type LimitRate = (call: Call, accountId: string) => Awaitable<void>;

export type RateLimitDeps = {
  /** Per account, across all gateways; 0 means no limit. */
  callsPerSecond: number;
  redis: Redis;
  redisPrefix: string;
  /** Called for a call that passes uncounted because Redis does not respond. */
  onBypass(): void;
};

const windowSeconds = 1;

/** Limits the calls of each account. Without Redis there is no limit: accepting a call matters more than counting it. */
export function createLimitRate(deps: RateLimitDeps): LimitRate {
  const { callsPerSecond, redis, redisPrefix, onBypass } = deps;
  if (callsPerSecond === 0) return () => undefined;
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${redisPrefix}:rate`,
    points: callsPerSecond,
    duration: windowSeconds,
    rejectIfRedisNotReady: true,
  });

  return async function limitRate(call, accountId) {
    const result = await count(accountId);
    if (!result) {
      onBypass();
      return;
    }
    const secondsLeft = Math.max(1, Math.ceil(result.msBeforeNext / 1_000));
    call.headers = {
      ...call.headers,
      'RateLimit-Policy': `"account";q=${callsPerSecond};w=${windowSeconds}`,
      RateLimit: `"account";r=${result.remainingPoints};t=${secondsLeft}`,
    };
    if (result.consumedPoints <= callsPerSecond) return;
    const headers = { 'Retry-After': String(secondsLeft) };
    throw new AppError('rate_limited', undefined, { headers });
  };

  /** Undefined if Redis did not count. The limiter throws its result if the limit is exceeded. */
  async function count(accountId: string): Promise<RateLimiterRes | undefined> {
    try {
      return await limiter.consume(accountId);
    } catch (error) {
      return error instanceof RateLimiterRes ? error : undefined;
    }
  }
}
