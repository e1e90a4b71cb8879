import type { Awaitable } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Call } from '../call';

/** Counts a call of an account, and throws `rate_limited` where that is one too many. */
export type LimitRate = (call: Call, accountId: string) => Awaitable<void>;

export type RateLimitDeps = {
  /** Of one account, over all gateways; 0 sets no limit. */
  callsPerSecond: number;
  redis: Redis;
  redisPrefix: string;
  /** A call that was let through uncounted, because Redis did not answer. */
  onBypass(): void;
};

const windowSeconds = 1;

/** One limit for all calls of an account. Redis away means no limit: a call that can be stored is worth more than a count. */
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
    throw new AppError('rate_limited', 'the account is over its rate limit', { headers });
  };

  /** Undefined where Redis did not count. The limiter throws what is over the limit. */
  async function count(accountId: string): Promise<RateLimiterRes | undefined> {
    try {
      return await limiter.consume(accountId);
    } catch (error) {
      return error instanceof RateLimiterRes ? error : undefined;
    }
  }
}
