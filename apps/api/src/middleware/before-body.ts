import type { IncomingMessage } from 'node:http';
import { type Awaitable, getHeaderValues, type RedisConnection } from '@belfry/runtime';
import {
  AppError,
  isSameSecret,
  isUuid,
  type ParsedApiKey,
  parseApiKey,
  unreadableJson,
} from '@belfry/shared';
import type { Request } from 'express';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Call } from '../call';

// The checks of a call before any of its body is read, in their order. post.ts runs them.

export type App = {
  id: string;
  accountId: string;
  delivery: 'sandbox' | 'live';
  /** The region of phone numbers without a country code. */
  defaultRegion: string | null;
  /** The account has reached its storage limit. */
  isStorageFull: boolean;
};

/** The authenticated account, with the app of the path. */
export type Caller = { accountId: string; apiKeyId: string; app: App };

export type AuthenticateDeps = {
  /** Finds an active key. */
  findApiKey(id: string, req: Request): Awaitable<StoredApiKey | undefined>;
  /** Called for every valid key. */
  recordKeyUse(id: string): void;
  /** `id` is a UUID in lower case. */
  findApp(id: string): Awaitable<App | undefined>;
};

type StoredApiKey = { accountId: string; secretHash: Buffer };

export type Authenticate = (req: Request) => Promise<Caller>;

/** Reads headers and path, never the body. An app of another account is reported as unknown. */
export function createAuthenticate({
  findApiKey,
  recordKeyUse,
  findApp,
}: AuthenticateDeps): Authenticate {
  return async function authenticate(req) {
    const parsedKey = parseApiKey(readKeyText(req));
    const stored = parsedKey && (await findApiKey(parsedKey.id, req));
    const accountId = verifyKey(parsedKey, stored);
    const apiKeyId = String(parsedKey?.id);
    const appId = parseAppId(req.params);
    const app = appId === undefined ? undefined : await findApp(appId);
    if (!app || app.accountId !== accountId) throw new AppError('app_not_found');
    return { accountId, apiKeyId, app };
  };

  function verifyKey(
    parsedKey: ParsedApiKey | undefined,
    stored: StoredApiKey | undefined,
  ): string {
    if (!parsedKey || !stored || !isSameSecret(parsedKey.secretHash, stored.secretHash)) {
      throw unauthenticated('the API key is not valid');
    }
    recordKeyUse(parsedKey.id);
    return stored.accountId;
  }
}

// One release of the Java client omits the space.
const scheme = /^AuthKey *(\S+)$/i;

function readKeyText(req: Request): string {
  const [header, ...more] = getHeaderValues(req, 'authorization');
  if (header === undefined) {
    throw unauthenticated('the Authorization header is missing: send "AuthKey <API key>"');
  }
  if (more.length > 0) throw unauthenticated('the Authorization header was sent more than once');
  const key = scheme.exec(header)?.[1];
  if (key !== undefined) return key;
  throw unauthenticated(
    parseApiKey(header)
      ? 'the Authorization header has only the API key: it must be "AuthKey <API key>"'
      : 'the Authorization header must be "AuthKey <API key>"',
  );
}

function unauthenticated(text: string): AppError {
  return new AppError('unauthenticated', text);
}

/** The `app_id` of a path in lower case, or undefined if it is not a UUID. Express types parameters wider than they are. */
export function parseAppId({
  app_id: appId,
}: {
  readonly [name: string]: unknown;
}): string | undefined {
  return typeof appId === 'string' && isUuid(appId) ? appId.toLowerCase() : undefined;
}

export type KeyUses = {
  record(apiKeyId: string): void;
  close(): Promise<void>;
};

export type KeyUsesDeps = {
  /** Best effort: failed writes are dropped. */
  write(apiKeyIds: string[]): Promise<void>;
  everyMs: number;
  maxKeys: number;
};

/** Collects the API keys that were used and writes them periodically, so that calls do not wait for it. */
export function createKeyUses({ write, everyMs, maxKeys }: KeyUsesDeps): KeyUses {
  let used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const ids = [...used];
    used = new Set();
    await write(ids).catch(() => undefined);
  }

  return {
    record(apiKeyId) {
      if (used.size < maxKeys) used.add(apiKeyId);
      timer ??= setTimeout(() => void flush(), everyMs).unref();
    },
    async close() {
      clearTimeout(timer);
      if (used.size > 0) await flush();
    },
  };
}

export type CheckDeclaredBody = (req: IncomingMessage) => void;

type Headers = IncomingMessage['headers'];

/** Refuses a body by its headers, before any of it is read. */
export function createCheckDeclaredBody({
  maxBodyBytes,
}: {
  maxBodyBytes: number;
}): CheckDeclaredBody {
  return function checkDeclaredBody({ headers }) {
    if (!hasBody(headers)) throw new AppError('malformed_json', unreadableJson);
    if (declaredBytes(headers) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
    if (!isJson(headers)) {
      throw new AppError('unsupported_media_type', 'the content type must be application/json');
    }
    refuseEncoding({ headers });
  };
}

/** Belfry never decompresses bodies. */
export function refuseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || /^(identity)?$/i.test(encoding)) return;
  throw new AppError('unsupported_media_type', 'the body must not be compressed');
}

export function bodyTooLarge(maxBodyBytes: number): AppError {
  return new AppError('body_too_large', `the body must be at most ${maxBodyBytes} bytes`);
}

function hasBody(headers: Headers): boolean {
  return headers['transfer-encoding'] !== undefined || declaredBytes(headers) > 0;
}

/** 0 for a chunked body or none. */
export function declaredBytes(headers: Headers): number {
  return Number(headers['content-length'] ?? 0);
}

function isJson(headers: Headers): boolean {
  const type = headers['content-type'] ?? '';
  if (type === 'application/json') return true;
  const [mediaType = ''] = type.split(';', 1);
  return mediaType.trim().toLowerCase() === 'application/json';
}

const idempotencyHeader = 'idempotency-key';
export const maxKeyBytes = 255;

/**
 * Reads the Idempotency-Key of a POST. Node refuses control characters, strips outer white space and decodes Latin-1, so each
 * character is one byte of the header. Node joins repeated headers, so repeats are detected in the raw headers.
 */
export function readIdempotencyKey(req: IncomingMessage): string | undefined {
  if (req.headers[idempotencyHeader] === undefined) return undefined;
  const [key = '', ...more] = getHeaderValues(req, idempotencyHeader);
  if (more.length === 0 && key !== '' && key.length <= maxKeyBytes) return key;
  throw new AppError('idempotency_key_invalid');
}

/** Counts a call of an account, and throws `rate_limited` if it exceeds the limit. */
export type LimitRate = (call: Call, accountId: string) => Awaitable<void>;

export type RateLimitDeps = {
  /** Per account, across all gateways; 0 means no limit. */
  callsPerSecond: number;
  redis: RedisConnection;
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
