import { channels } from '@belfry/channels';
import { createUnsubscribes, createUserPreferences, type Database } from '@belfry/database';
import { createCache, type Env, readUnsubscribeToken, type Secrets } from '@belfry/runtime';
import { AppError, type PreferencesBody } from '@belfry/shared';
import { mapStoreErrors } from './look-ups';
import type { UnsubscribeRoutesDeps } from './routes/unsubscribe';
import type { StoreWrite } from './store-writes';

type UnsubscribeDeps = { env: Env<'api'>; database: Database; secrets: Secrets };

const cachedApps = 1_000;

/** Creates what the pages behind unsubscribe links read and change. `write` limits concurrent changes. */
export function createUnsubscribeServices(
  { env, database, secrets }: UnsubscribeDeps,
  write: StoreWrite,
): UnsubscribeRoutesDeps['unsubscribes'] {
  const { findPage } = createUnsubscribes(database.lookUps);
  const unsubscribes = createUnsubscribes(database.accepting);
  const { readPreferences } = createUserPreferences(database.lookUps);
  const { changePreferences } = createUserPreferences(database.accepting);
  const labels = Object.entries(channels).map(([name, { label }]) => [name, label]);
  return {
    readToken: (text) => readUnsubscribeToken(text, { secrets, nowMs: Date.now() }),
    findPage: createCache((appId) => mapStoreErrors(findPage(appId)), {
      ttlMs: env.LOOKUP_CACHE_MS,
      maxEntries: cachedApps,
    }),
    // Safe cast: the routes that store preferences validate them.
    readPreferences: (user) =>
      mapStoreErrors(readPreferences(user).catch(ignoreUnknownUser)) as Promise<
        PreferencesBody | undefined
      >,
    unsubscribe: (token) => write(() => unsubscribes.unsubscribe(token)),
    changePreferences: (change) => write(() => changePreferences(change)),
    channelLabels: Object.fromEntries(labels),
  };
}

function ignoreUnknownUser(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'user_not_found') return undefined;
  throw error;
}
