import { performance } from 'node:perf_hooks';
import {
  createAnswerOnce,
  createPlan,
  createQueues,
  createSendEvent,
  createWriteBatcher,
  type SendEvent,
  storedRecipient,
} from '@belfry/accepting';
import { channels } from '@belfry/channels';
import {
  createDatabase,
  createDevices,
  createLookUps,
  createUsers,
  type Database,
  findStoredKeys,
  nameOfKey,
  writeRequests,
} from '@belfry/database';
import {
  createRedis,
  createSecrets,
  type Env,
  EnvError,
  type Logger,
  newId,
  type Secrets,
  type Shutdown,
} from '@belfry/runtime';
import type { ApiDeps } from './app';
import { createGatewayLookUps, type GatewayLookUps, orRefuse } from './look-ups';
import { createStoreWrite } from './store-writes';
import { parseTrustedProxies } from './trusted-proxies';

const cachedRows = 10_000;
const bodyTimeoutMs = 30_000;
const maxWritesWaiting = 2_000;
/** A caller's own timeout is often 5 s. */
const maxWriteWaitMs = 3_000;

/** Builds what the gateway is made of, from the leaves up. */
export function createApiDeps(env: Env<'api'>, log: Logger, shutdown: Shutdown): ApiDeps {
  const https = httpsRules(env);
  const database = createDatabase({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE, log });
  shutdown.add('database', () => database.close());
  const lookUps = createGatewayLookUps(createLookUps(database.prisma), {
    ttlMs: env.LOOKUP_CACHE_MS,
    maxEntries: cachedRows,
  });
  const secrets = createSecrets(env.BELFRY_KEYS);
  return {
    ...createRecords({ env, database, secrets }),
    answerOnce: createAnswerOnce({ secrets }),
    findApiKey: lookUps.findApiKey,
    findApp: lookUps.findApp,
    sendEvent: createAccepting({ env, log, shutdown, database, lookUps, secrets }),
    ready: async () => (await database.accepting.query('SELECT 1')).rowCount === 1,
    channels,
    https,
    bodies: {
      maxBodyBytes: env.MAX_BODY_BYTES,
      maxBodiesInMemoryBytes: env.MAX_BODIES_IN_MEMORY_BYTES,
      bodyTimeoutMs,
    },
    publicUrl: env.PUBLIC_URL,
    log,
    newId,
    now: () => new Date(),
  };
}

type AcceptingParts = {
  env: Env<'api'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  lookUps: GatewayLookUps;
  secrets: Secrets;
};

/** The stored users and devices. Half of the connections is left to the sends. */
function createRecords({
  env,
  database,
  secrets,
}: Pick<AcceptingParts, 'env' | 'database' | 'secrets'>): Pick<ApiDeps, 'users' | 'devices'> {
  const users = createUsers({ pool: database.accepting, secrets, newId });
  const devices = createDevices({ pool: database.accepting, newId });
  const write = createStoreWrite({
    slots: Math.ceil(env.DATABASE_POOL_SIZE / 2),
    maxWaiting: maxWritesWaiting,
    maxWaitMs: maxWriteWaitMs,
    now: () => performance.now(),
  });
  return {
    users: {
      writeUser: (user, toBody) => write(() => users.writeUser(user, toBody)),
      findWholeUser: (appId, userId) => orRefuse(users.findWholeUser(appId, userId)),
    },
    devices: {
      addDevice: (device, toBody) => write(() => devices.addDevice(device, toBody)),
      updateDevice: (update, toBody) => write(() => devices.updateDevice(update, toBody)),
      getDevice: (address) => orRefuse(devices.getDevice(address)),
      deleteDevice: (address) => write(() => devices.deleteDevice(address)),
    },
  };
}

function createAccepting(parts: AcceptingParts): SendEvent {
  const { env, log, shutdown, database, lookUps, secrets } = parts;
  const redis = createRedis({ url: env.REDIS_URL, log });
  shutdown.add('redis', () => redis.disconnect());
  const queues = createQueues({ redis, prefix: env.REDIS_PREFIX, log });
  shutdown.add('queues', () => queues.close());
  const write = createWriteBatcher({
    writeRequests: (calls) => writeRequests(database.accepting, calls),
    queues,
    newId,
    log,
  });
  shutdown.add('accepting', () => write.close());
  const extraFields = Object.values(channels).flatMap(({ recipient }) => Object.keys(recipient));
  return createSendEvent({
    ...lookUps,
    async findStoredKey(accountId, hash) {
      const key = { accountId, hash };
      const stored = await orRefuse(findStoredKeys(database.accepting, [key]));
      return stored.get(nameOfKey(key));
    },
    readStoredRecipient: (user) => storedRecipient(user, extraFields),
    write,
    plan: createPlan(channels),
    secrets,
    newId,
  });
}

function httpsRules(env: Env<'api'>): ApiDeps['https'] {
  const isTrustedProxy = parseTrustedProxies(env.TRUSTED_PROXIES);
  if (typeof isTrustedProxy === 'function') {
    return { allowHttp: env.ALLOW_HTTP, isTrustedProxy };
  }
  throw new EnvError([
    { name: 'TRUSTED_PROXIES', problem: isTrustedProxy.problem, example: '10.0.0.0/8' },
  ]);
}
