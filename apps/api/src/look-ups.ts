import type { IncomingMessage } from 'node:http';
import {
  type ApiKeyRow,
  type AppRow,
  createFindUser,
  type IdLists,
  isRefusedContent,
  type LookUps,
  type SealedInboxSecret,
} from '@belfry/database';
import {
  type Awaitable,
  type CacheOptions,
  createCache,
  createGuardedFind,
  createTokenBuckets,
  getClientNetwork,
  type IsTrustedProxy,
} from '@belfry/runtime';
import { AppError } from '@belfry/shared';

const versionTtlMs = 60 * 60_000;

/** Synchronous if the value is cached. */
type Cached<Find> = Find extends (...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => Awaitable<Result>
  : never;

type CachedName = 'findEvent' | 'findVersion' | 'findIntegration';

export type GatewayLookUps = Pick<LookUps, 'findSealedKeys' | 'findUser'> & {
  [Name in CachedName]: Cached<LookUps[Name]>;
} & {
  findApiKey(id: string, req: IncomingMessage): Awaitable<ApiKeyRow | undefined>;
  /** Pass `req` if the caller is not authenticated yet. */
  findApp(id: string, req?: IncomingMessage): Awaitable<AppRow | undefined>;
  /** The active inbox secrets of an app. */
  findSealedSecrets(appId: string): Promise<SealedInboxSecret[]>;
};

/** The look-ups in the store. Users are read in batches. */
type StoredLookUps = GuardedLookUps &
  Pick<LookUps, CachedName | 'findSealedKeys' | 'findUsers'> &
  Pick<GatewayLookUps, 'findSealedSecrets'>;
type GuardedLookUps = IdLists & Pick<LookUps, 'findApiKey' | 'findApp'>;

export type LookUpOptions = CacheOptions & { isTrustedProxy: IsTrustedProxy };

/** The look-ups of API calls: cached, and refused with 503 if the store does not respond. */
export function createGatewayLookUps(
  lookUps: StoredLookUps,
  { isTrustedProxy, ...cache }: LookUpOptions,
): GatewayLookUps {
  const guarded = createGuardedLookUps(lookUps);
  // The ID of an app has no slash.
  const findEventAt = createCache(
    (path) => {
      const slash = path.indexOf('/');
      return mapStoreErrors(lookUps.findEvent(path.slice(0, slash), path.slice(slash + 1)));
    },
    cache,
    // An event without a live version is not cached: it may be published before the next call.
    ({ liveVersionId }) => liveVersionId !== undefined,
  );
  const findUser = createFindUser(lookUps);
  const findSealedKeys = createCache((id) => mapStoreErrors(lookUps.findSealedKeys(id)), cache);
  const findSecrets = createCache((id) => mapStoreErrors(lookUps.findSealedSecrets(id)), cache);
  return {
    findSealedKeys: async (accountId) => (await findSealedKeys(accountId)) ?? [],
    findSealedSecrets: async (appId) => (await findSecrets(appId)) ?? [],
    findApiKey: createCache(
      (id, req: IncomingMessage) =>
        mapStoreErrors(guarded.findApiKey(id, getClientNetwork(req, isTrustedProxy))),
      cache,
    ),
    findApp: createCache(
      (id, req?: IncomingMessage) =>
        mapStoreErrors(
          req ? guarded.findApp(id, getClientNetwork(req, isTrustedProxy)) : lookUps.findApp(id),
        ),
      cache,
    ),
    findEvent: (appId, name) => findEventAt(`${appId}/${name}`),
    // A version never changes, so a long TTL is safe.
    findVersion: createCache((id) => mapStoreErrors(lookUps.findVersion(id)), {
      ...cache,
      ttlMs: versionTtlMs,
    }),
    findIntegration: createCache((id) => mapStoreErrors(lookUps.findIntegration(id)), cache),
    findUser: (appId, userId) => mapStoreErrors(findUser(appId, userId)),
  };
}

/** Look-ups that anyone can trigger. Failed ones are rate limited; see the error `rate_limited`. */
function createGuardedLookUps(lookUps: GuardedLookUps) {
  const now = () => performance.now();
  const limits = {
    networkBuckets: createTokenBuckets({ burst: 20, perSecond: 1, maxBuckets: 10_000, now }),
    globalBucket: createTokenBuckets({ burst: 200, perSecond: 100, maxBuckets: 1, now }),
    now,
  };
  return {
    findApiKey: createGuardedFind({
      ...limits,
      find: lookUps.findApiKey,
      readIds: lookUps.readApiKeyIds,
      refusal: () => tooManyUnknown('API key'),
    }),
    findApp: createGuardedFind({
      ...limits,
      find: lookUps.findApp,
      readIds: lookUps.readAppIds,
      refusal: () => tooManyUnknown('app ID'),
    }),
  };
}

function tooManyUnknown(kind: string): AppError {
  return new AppError(
    'rate_limited',
    `this network sent too many unknown ${kind}s: check the ${kind} and try again later`,
  );
}

/** Maps errors of reads. A failed read changed nothing, so the caller may retry. */
export async function mapStoreErrors<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (isRefusedContent(cause)) {
      throw new AppError('validation_failed', 'a value in the request cannot be stored', { cause });
    }
    throw new AppError('unavailable', undefined, { cause });
  }
}
