import { createGate, createKeyedCall, type KeyedCall, type KeyResult } from '@belfry/accepting';
import {
  type Database,
  findStoredKeys,
  type KeyOfAccount,
  nameOfKey,
  type StoredKey,
  writeKeyAlone,
} from '@belfry/database';
import {
  createBatcher,
  createRedis,
  type Env,
  type Logger,
  type Secrets,
  type Shutdown,
} from '@belfry/runtime';
import { errorBody, internalError } from './error-body';
import { orRefuse } from './look-ups';

export type KeyedCallParts = {
  env: Env<'api'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  secrets: Secrets;
  count(result: KeyResult): void;
};

const gateTimeoutMs = 250;
const maxKeysPerLookUp = 250;
const maxKeysWaiting = 5_000;

/** Builds what wraps every POST. */
export function createKeyedCalls(parts: KeyedCallParts): KeyedCall {
  const { env, log, shutdown, database, secrets, count } = parts;
  // Of its own: behind a large job its callers would wait too long.
  const redis = createRedis({ url: env.REDIS_URL, log, commandTimeoutMs: gateTimeoutMs });
  shutdown.add('gate_redis', () => redis.disconnect());
  const gate = createGate({ redis, prefix: env.REDIS_PREFIX });
  shutdown.add('gate', () => gate.close());
  const storedKeys = createBatcher<KeyOfAccount, StoredKey | undefined>({
    async flush(keys) {
      const found = await findStoredKeys(database.accepting, keys);
      return keys.map((key) => found.get(nameOfKey(key)));
    },
    maxBatch: maxKeysPerLookUp,
    maxWaiting: maxKeysWaiting,
  });
  return createKeyedCall({
    gate,
    findStoredKey: (key) => orRefuse(storedKeys.add(key)),
    writeKeyAlone: (stored) => writeKeyAlone(database.accepting, stored),
    secrets,
    failureBody: (callId) => errorBody(internalError(), callId),
    count,
  });
}
