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
type Remembered<Find> = Find extends (...asked: infer Asked) => Promise<infer Found>
  ? (...asked: Asked) => Awaitable<Found>
  : never;

type RememberedName = 'findEvent' | 'findVersion' | 'findIntegration';

export type GatewayLookUps = Pick<LookUps, 'findSealedKeys' | 'findUser'> & {
  [Name in RememberedName]: Remembered<LookUps[Name]>;
} & {
  findApiKey(id: string, req: IncomingMessage): Awaitable<ApiKeyRow | undefined>;
  /** With the request where the caller may be anybody. */
  findApp(id: string, req?: IncomingMessage): Awaitable<AppRow | undefined>;
};

/** What they are made of: users are asked for several at once. */
type StoredLookUps = GuardedLookUps &
  Pick<LookUps, RememberedName | 'findSealedKeys' | 'findUsers'>;
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
      return orRefuse(lookUps.findEvent(place.slice(0, slash), place.slice(slash + 1)));
    },
    cache,
    // Called too early, and then published: the next call must find it.
    ({ liveVersionId }) => liveVersionId !== undefined,
  );
  const findUser = createFindUser(lookUps);
  const findSealedKeys = createCache((id) => orRefuse(lookUps.findSealedKeys(id)), cache);
  return {
    findSealedKeys: async (accountId) => (await findSealedKeys(accountId)) ?? [],
    findApiKey: createCache(
      (id, req: IncomingMessage) => orRefuse(guarded.findApiKey(id, clientNetwork(req))),
      cache,
    ),
    findApp: createCache(
      (id, req?: IncomingMessage) =>
        orRefuse(req ? guarded.findApp(id, clientNetwork(req)) : lookUps.findApp(id)),
      cache,
    ),
    findEvent: (appId, name) => findEventAt(`${appId}/${name}`),
    // A version never changes; only memory bounds how long it is kept.
    findVersion: createCache((id) => orRefuse(lookUps.findVersion(id)), {
      ...cache,
      ttlMs: versionTtlMs,
    }),
    findIntegration: createCache((id) => orRefuse(lookUps.findIntegration(id)), cache),
    findUser: (appId, userId) => orRefuse(findUser(appId, userId)),
  };
}

/** Look-ups that anybody can ask for. Those that fail are bounded; see the error `rate_limited`. */
function createGuardedLookUps(lookUps: GuardedLookUps) {
  const now = () => performance.now();
  const limits = {
    ofNetwork: createTokenBuckets({ burst: 20, perSecond: 1, maxBuckets: 10_000, now }),
    ofAll: createTokenBuckets({ burst: 200, perSecond: 100, maxBuckets: 1, now }),
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
export async function orRefuse<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
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
