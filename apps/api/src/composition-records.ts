import { performance } from 'node:perf_hooks';
import {
  apiKeyPlace,
  createDevices,
  createUsers,
  type Database,
  type Queryable,
} from '@belfry/database';
import { type AnsweredCall, type AnsweredWrite, writeAnswered } from '@belfry/pipeline/accept';
import { createInbox, readRequestStatus, writeAppReport } from '@belfry/pipeline/operate';
import { type Env, newId, type Secrets } from '@belfry/runtime';
import type { ApiDeps } from './app';
import { type GatewayLookUps, mapStoreErrors } from './look-ups';
import { createStoreWrite, type StoreWrite } from './store-writes';

const maxWritesWaiting = 2_000;
/** A caller's own timeout is often 5 s. */
const maxWriteWaitMs = 3_000;

type RecordDeps = {
  env: Env<'api'>;
  database: Database;
  secrets: Secrets;
  lookUps: GatewayLookUps;
};

/** Creates access to users, devices, inboxes and requests. It leaves half of the connections to sends. */
export function createRecords({
  env,
  database,
  secrets,
  lookUps,
}: RecordDeps): Pick<
  ApiDeps,
  'users' | 'devices' | 'inbox' | 'writeAppReport' | 'readRequestStatus'
> {
  const users = createUsers({ pool: database.accepting, secrets, newId });
  const devices = createDevices({ pool: database.accepting, newId });
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
    devices: {
      addDevice: (call, toBody) => writeWithAnswer(call, toBody, devices.addDevice),
      updateDevice: (call, toBody) => writeWithAnswer(call, toBody, devices.updateDevice),
      getDevice: (address) => mapStoreErrors(devices.getDevice(address)),
      deleteDevice: (address) => write(() => devices.deleteDevice(address)),
    },
    inbox: createInboxStore({ database, secrets, lookUps }, write),
    readRequestStatus: (page) => mapStoreErrors(readRequestStatus(database.lookUps, page)),
    writeAppReport: (report, answer) =>
      write(() => writeAppReport(database.accepting, report, answer)),
  };
}

function createInboxStore(
  { database, secrets, lookUps }: Omit<RecordDeps, 'env'>,
  write: StoreWrite,
): ApiDeps['inbox'] {
  const inbox = createInbox({ pool: database.accepting, newId });
  return {
    findApp: lookUps.findApp,
    findSealedKeys: lookUps.findSealedKeys,
    openKey: ({ id, sealed }) => secrets.open(sealed, apiKeyPlace(id)),
    isUserStored: (address) => mapStoreErrors(inbox.isUserStored(address)),
    listItems: (page) => mapStoreErrors(inbox.listItems(page)),
    countUnread: (address) => mapStoreErrors(inbox.countUnread(address)),
    ensureUser: (address) => write(() => inbox.ensureUser(address)),
    changeStatus: (change) => write(() => inbox.changeStatus(change)),
    readAll: (upTo) => write(() => inbox.readAll(upTo)),
    open: (address) => write(() => inbox.open(address)),
  };
}
