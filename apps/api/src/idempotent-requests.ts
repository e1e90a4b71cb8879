import type { Database } from '@belfry/database';
import {
  createIdempotencyStore,
  createRunIdempotentRequest,
  findStoredKeys,
  type IdempotencyResult,
  type KeyOfAccount,
  type RunIdempotentRequest,
  type StoredKey,
  toKeyName,
  writeKeyAlone,
} from '@belfry/pipeline/accept';
import {
  createBatcher,
  createRedis,
  type Env,
  type Logger,
  type Secrets,
  type Shutdown,
} from '@belfry/runtime';
import { errorBody, internalError } from './error-body';
import { mapStoreErrors } from './look-ups';

export type IdempotencyServices = {
  env: Env<'api'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  secrets: Secrets;
  getInstallationId(): string | undefined;
  count(result: IdempotencyResult): void;
};

const idempotencyTimeoutMs = 250;
const maxKeysPerLookUp = 250;
const maxKeysWaiting = 5_000;

/** Creates the wrapper of every idempotent POST. */
export function createIdempotentRunner(services: IdempotencyServices): RunIdempotentRequest {
  const { env, log, shutdown, database, secrets, count, getInstallationId } = services;
  // A separate connection, so that callers never wait behind a large job.
  const redis = createRedis({ url: env.REDIS_URL, log, commandTimeoutMs: idempotencyTimeoutMs });
  shutdown.add('idempotency_redis', () => redis.disconnect());
  const prefix = env.REDIS_PREFIX;
  const idempotencyStore = createIdempotencyStore({ redis, prefix, getInstallationId });
  shutdown.add('idempotency_store', () => idempotencyStore.close());
  const storedKeys = createBatcher<KeyOfAccount, StoredKey | undefined>({
    async flush(keys) {
      const rowByName = await findStoredKeys(database.accepting, keys);
      return keys.map((key) => rowByName.get(toKeyName(key)));
    },
    maxBatch: maxKeysPerLookUp,
    maxWaiting: maxKeysWaiting,
  });
  return createRunIdempotentRequest({
    idempotencyStore,
    findStoredKey: (key) => mapStoreErrors(storedKeys.add(key)),
    writeKeyAlone: (stored) => writeKeyAlone(database.accepting, stored),
    secrets,
    failureBody: (callId) => errorBody(internalError(), callId),
    count,
  });
}
