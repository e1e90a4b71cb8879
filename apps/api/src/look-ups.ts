import { createFindUser, type LookUps } from '@belfry/database';
import { type Awaitable, type CacheOptions, createCache } from '@belfry/runtime';
import { AppError } from '@belfry/shared';

const versionTtlMs = 60 * 60_000;

/** What is in memory is answered at once. */
type Remembered<Find> = Find extends (...asked: infer Asked) => Promise<infer Found>
  ? (...asked: Asked) => Awaitable<Found>
  : never;

type RememberedName = 'findApiKey' | 'findApp' | 'findEvent' | 'findVersion' | 'findIntegration';

export type GatewayLookUps = Pick<LookUps, 'findSealedKeys' | 'findUser'> & {
  [Name in RememberedName]: Remembered<LookUps[Name]>;
};

/** What they are made of: users are asked for several at once. */
type StoredLookUps = Pick<LookUps, RememberedName | 'findSealedKeys' | 'findUsers'>;

/** The look-ups of a call: answered from memory for a while, and a refusal with 503 when the store cannot answer. */
export function createGatewayLookUps(lookUps: StoredLookUps, cache: CacheOptions): GatewayLookUps {
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
    findApiKey: createCache((id) => orRefuse(lookUps.findApiKey(id)), cache),
    findApp: createCache((id) => orRefuse(lookUps.findApp(id)), cache),
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

/** A question that failed changed nothing: the caller may ask again, whatever the reason was. */
export async function orRefuse<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'unavailable',
      'the store does not answer; nothing was accepted: try again',
      { cause },
    );
  }
}
