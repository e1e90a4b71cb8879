import type { IncomingMessage } from 'node:http';
import {
  type ApiKeyRow,
  type AppRow,
  createFindUser,
  type IdLists,
  isRefusedContent,
  type LookUps,
} from '@belfry/database';
import {
  type Awaitable,
  type CacheOptions,
  createCache,
  createGuardedFind,
  createTokenBuckets,
} from '@belfry/runtime';
import { AppError } from '@belfry/shared';

const versionTtlMs = 60 * 60_000;

/** What is in memory is answered at once. */
type Cached<Find> = Find extends (...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => Awaitable<Result>
  : never;

type CachedName = 'findEvent' | 'findVersion' | 'findIntegration';

export type GatewayLookUps = Pick<LookUps, 'findSealedKeys' | 'findUser'> & {
  [Name in CachedName]: Cached<LookUps[Name]>;
} & {
  findApiKey(id: string, req: IncomingMessage): Awaitable<ApiKeyRow | undefined>;
  /** With the request where the caller may be anybody. */
  findApp(id: string, req?: IncomingMessage): Awaitable<AppRow | undefined>;
};

/** What they are made of: users are asked for several at once. */
type StoredLookUps = GuardedLookUps & Pick<LookUps, CachedName | 'findSealedKeys' | 'findUsers'>;
type GuardedLookUps = IdLists & Pick<LookUps, 'findApiKey' | 'findApp'>;

export type LookUpOptions = CacheOptions & { clientNetwork(req: IncomingMessage): string };

/** The look-ups of a call: answered from memory for a while, and a refusal with 503 when the store cannot answer. */
export function createGatewayLookUps(
  lookUps: StoredLookUps,
  { clientNetwork, ...cache }: LookUpOptions,
): GatewayLookUps {
  const guarded = createGuardedLookUps(lookUps);
  // The id of an app holds no slash.
  const findEventAt = createCache(
    (place) => {
      const slash = place.indexOf('/');
      return mapStoreErrors(lookUps.findEvent(place.slice(0, slash), place.slice(slash + 1)));
    },
    cache,
    // Called too early, and then published: the next call must find it.
    ({ liveVersionId }) => liveVersionId !== undefined,
  );
  const findUser = createFindUser(lookUps);
  const findSealedKeys = createCache((id) => mapStoreErrors(lookUps.findSealedKeys(id)), cache);
  return {
    findSealedKeys: async (accountId) => (await findSealedKeys(accountId)) ?? [],
    findApiKey: createCache(
      (id, req: IncomingMessage) => mapStoreErrors(guarded.findApiKey(id, clientNetwork(req))),
      cache,
    ),
    findApp: createCache(
      (id, req?: IncomingMessage) =>
        mapStoreErrors(req ? guarded.findApp(id, clientNetwork(req)) : lookUps.findApp(id)),
      cache,
    ),
    findEvent: (appId, name) => findEventAt(`${appId}/${name}`),
    // A version never changes; only memory bounds how long it is kept.
    findVersion: createCache((id) => mapStoreErrors(lookUps.findVersion(id)), {
      ...cache,
      ttlMs: versionTtlMs,
    }),
    findIntegration: createCache((id) => mapStoreErrors(lookUps.findIntegration(id)), cache),
    findUser: (appId, userId) => mapStoreErrors(findUser(appId, userId)),
  };
}

/** Look-ups that anybody can ask for. Those that fail are bounded; see the error `rate_limited`. */
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
      refusal: () => tooManyUnknown('API keys'),
    }),
    findApp: createGuardedFind({
      ...limits,
      find: lookUps.findApp,
      readIds: lookUps.readAppIds,
      refusal: () => tooManyUnknown('apps'),
    }),
  };
}

function tooManyUnknown(things: string): AppError {
  return new AppError(
    'rate_limited',
    `this network named too many ${things} that do not exist, and this is another one: check it, and try again later`,
  );
}

/** A question that failed changed nothing: the caller may ask again, whatever the reason was. */
export async function mapStoreErrors<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (isRefusedContent(cause)) {
      throw new AppError('validation_failed', 'a value of the call cannot be stored', { cause });
    }
    throw new AppError(
      'unavailable',
      'the store does not answer; nothing was accepted: try again',
      { cause },
    );
  }
}
