import { createFcmTopics } from '@belfry/channels';
import { type Database, findPushIntegration, openCredentials } from '@belfry/database';
import {
  createCache,
  createTokenBuckets,
  type Env,
  getClientNetwork,
  type Secrets,
  type Shutdown,
} from '@belfry/runtime';
import type { ApiDeps } from './app';
import { mapStoreErrors } from './look-ups';

type BrowserDeps = {
  env: Env<'api'>;
  shutdown: Shutdown;
  secrets: Secrets;
  database: Pick<Database, 'lookUps'>;
  isTrustedProxy: ApiDeps['https']['isTrustedProxy'];
};

/** Calls without a credential per network, documented in openapi.ts. */
const openCalls = { burst: 200, perSecond: 20, maxBuckets: 10_000 };

const cachedApps = 1_000;

/** Creates what only the routes for browsers need, besides the inbox. */
export function createBrowserServices({
  env,
  shutdown,
  secrets,
  database,
  isTrustedProxy,
}: BrowserDeps): Pick<ApiDeps, 'takeOpenCall' | 'findWebPushKey' | 'changeTopic'> {
  const cachePushIntegration = (provider: 'fcm' | 'web_push') =>
    createCache((appId) => mapStoreErrors(findPushIntegration(database.lookUps, appId, provider)), {
      ttlMs: env.LOOKUP_CACHE_MS,
      maxEntries: cachedApps,
    });
  const findFcm = cachePushIntegration('fcm');
  const findWebPush = cachePushIntegration('web_push');
  const networks = createTokenBuckets({ ...openCalls, now: () => performance.now() });
  const topics = createFcmTopics({ baseUrl: env.FCM_API_URL || undefined });
  shutdown.add('fcm_topics', async () => topics.close());
  return {
    takeOpenCall: (req) => networks.take(getClientNetwork(req, isTrustedProxy)),

    async findWebPushKey(appId) {
      const integration = await findWebPush(appId);
      const { public_key: key } = integration ? openCredentials(integration, secrets) : {};
      return typeof key === 'string' ? key : undefined;
    },

    async changeTopic({ appId, ...change }) {
      const integration = await findFcm(appId);
      if (!integration) return undefined;
      if (change.tokens.length === 0) return { changed: 0, refused: 0 };
      const { id, settings, updatedAt } = integration;
      return topics.change({
        ...change,
        integration: { settings, credentials: openCredentials(integration, secrets) },
        integrationKey: `${id}:${updatedAt.getTime()}`,
      });
    },
  };
}
