import { performance } from 'node:perf_hooks';
import {
  createDevices,
  createUserPreferences,
  createUsers,
  type Database,
  type Queryable,
} from '@belfry/database';
import {
  type AnsweredCall,
  type AnsweredWrite,
  findStoredKeys,
  type KeyOfAccount,
  type StoredKey,
  toKeyName,
  writeAnswered,
  writeKeyAlone,
} from '@belfry/pipeline/accept';
import {
  createCancelMessages,
  findRequestByKey,
  isReportable,
  readRequestStatus,
  type WakeReader,
  writeAppReport,
} from '@belfry/pipeline/operate';
import { type Env, newId, type Secrets } from '@belfry/runtime';
import type { ApiDeps } from './app';
import { createInboxStore } from './composition-inbox';
import { createUnsubscribeServices } from './composition-unsubscribe';
import { createWebhooks } from './composition-webhooks';
import { type GatewayLookUps, mapStoreErrors } from './look-ups';
import type { WebhookRoutesDeps } from './routes/webhooks';
import { createStoreWrite, type StoreWrite } from './store-writes';

const maxWritesWaiting = 2_000;
/** A caller's own timeout is often 5 s. */
const maxWriteWaitMs = 3_000;

type RecordDeps = {
  env: Env<'api'>;
  database: Database;
  secrets: Secrets;
  lookUps: GatewayLookUps;
  wakeReader: WakeReader;
};

/** Creates access to users, devices, inboxes and requests. It leaves half of the connections to sends. */
export function createRecords({
  env,
  database,
  secrets,
  ...deps
}: RecordDeps): Pick<
  ApiDeps,
  | 'users'
  | 'preferences'
  | 'devices'
  | 'inbox'
  | 'isReportable'
  | 'writeAppReport'
  | 'readRequestStatus'
  | 'findRequestByKey'
  | 'cancelMessages'
  | 'unsubscribes'
  | keyof WebhookRoutesDeps
> {
  const users = createUsers({ pool: database.accepting, secrets, newId });
  const devices = createDevices({ pool: database.accepting, newId });
  const preferences = createUserPreferences(database.accepting);
  const write = createStoreWrite({
    slots: Math.ceil(env.DATABASE_POOL_SIZE / 2),
    maxWaiting: maxWritesWaiting,
    maxWaitMs: maxWriteWaitMs,
    now: () => performance.now(),
  });
  /** Stores the response with the idempotency key, in the same transaction as the work. */
  function writeWithAnswer<Call extends AnsweredCall, Row>(
    call: Call,
    toBody: (row: Row) => string,
    work: (client: Queryable, call: Call) => Promise<Row>,
  ): Promise<AnsweredWrite> {
    return write(() =>
      writeAnswered(database.accepting, call, async (client) => toBody(await work(client, call))),
    );
  }
  return {
    users: {
      writeUser: (call, toBody) => writeWithAnswer(call, toBody, users.writeUser),
      findWholeUser: (appId, userId) => mapStoreErrors(users.findWholeUser(appId, userId)),
    },
    preferences: {
      readPreferences: (user) => mapStoreErrors(preferences.readPreferences(user)),
      writePreferences: (change) => write(() => preferences.writePreferences(change)),
    },
    devices: {
      addDevice: (call, toBody) => writeWithAnswer(call, toBody, devices.addDevice),
      updateDevice: (call, toBody) => writeWithAnswer(call, toBody, devices.updateDevice),
      getDevice: (address) => mapStoreErrors(devices.getDevice(address)),
      deleteDevice: (address) => write(() => devices.deleteDevice(address)),
    },
    cancelMessages: createCancel({ database }, write),
    findRequestByKey: (appId, key) =>
      mapStoreErrors(findRequestByKey(database.lookUps, appId, key)),
    inbox: createInboxStore({ ...deps, database, secrets, write }),
    ...createWebhooks({ env, database, secrets }, write),
    unsubscribes: createUnsubscribeServices({ env, database, secrets }, write),
    readRequestStatus: (page) => mapStoreErrors(readRequestStatus(database.lookUps, page)),
    isReportable: (appId, messageId) =>
      mapStoreErrors(isReportable(database.lookUps, { appId, messageId })),
    writeAppReport: (report, answer) =>
      write(() => writeAppReport(database.accepting, report, answer)),
  };
}

/**
 * A cancel is several transactions, so its key cannot be written with the work. It is looked up before and written after it:
 * a call that is interrupted in between is repeated, and changes only what the first one did not reach.
 */
function createCancel(
  { database }: Pick<RecordDeps, 'database'>,
  write: StoreWrite,
): ApiDeps['cancelMessages'] {
  const pool = database.accepting;
  const cancelMessages = createCancelMessages({ pool, write });
  return async function cancelWithKey({ callId: requestId, accountId, key }, cancel, toBody) {
    const winner = key && (await findStoredKey({ accountId, hash: key.hash }));
    if (winner) return { isWritten: false, winner };
    const body = toBody(await cancelMessages(cancel));
    if (!key) return { isWritten: true, body };
    const outcome = await write(() => writeKeyAlone(pool, { accountId, requestId, key, body }));
    return outcome.isWritten ? { isWritten: true, body } : outcome;
  };

  async function findStoredKey(key: KeyOfAccount): Promise<StoredKey | undefined> {
    return (await mapStoreErrors(findStoredKeys(pool, [key]))).get(toKeyName(key));
  }
}
