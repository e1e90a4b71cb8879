import { apiKeyPlace, type Database, inboxSecretPlace } from '@belfry/database';
import {
  createInbox,
  createInboxItems,
  createNameReader,
  createWakeListener,
  createWakeReader,
  type InboxAddress,
  listChangedReaders,
  readInboxNews,
  type WakeReader,
} from '@belfry/pipeline/operate';
import { type Env, type Logger, newId, type RedisConnection, type Secrets } from '@belfry/runtime';
import type { ApiDeps } from './app';
import { type GatewayLookUps, mapStoreErrors } from './look-ups';
import { findCredentialIds } from './middleware/authenticate-reader';
import type { StoreWrite } from './store-writes';
import { createInboxStreams, type InboxStreams } from './streams/inbox-streams';

type InboxStoreDeps = {
  database: Database;
  secrets: Secrets;
  lookUps: GatewayLookUps;
  wakeReader: WakeReader;
  write: StoreWrite;
};

/** Creates access to inboxes. Streams learn of every change. */
export function createInboxStore(deps: InboxStoreDeps): ApiDeps['inbox'] {
  const { database, secrets, lookUps, write } = deps;
  const inbox = createInbox({ pool: database.accepting, newId });
  const items = createInboxItems(database.accepting);

  async function change<Result>(
    { appId, userId }: InboxAddress,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const result = await write(work);
    deps.wakeReader({ appId, userId });
    return result;
  }

  return {
    findApp: lookUps.findApp,
    findSealedKeys: lookUps.findSealedKeys,
    openKey: ({ id, sealed }) => secrets.open(sealed, apiKeyPlace(id)),
    findSealedSecrets: lookUps.findSealedSecrets,
    openSecret: ({ id, sealed }) => secrets.open(sealed, inboxSecretPlace(id)),
    secrets,
    isUserStored: (address) => mapStoreErrors(inbox.isUserStored(address)),
    listItems: (page) => mapStoreErrors(inbox.listItems(page)),
    countUnread: (address) => mapStoreErrors(inbox.countUnread(address)),
    ensureUser: (address) => write(() => inbox.ensureUser(address)),
    changeStatus: (status) => change(status, () => inbox.changeStatus(status)),
    readAll: (upTo) => change(upTo, () => inbox.readAll(upTo)),
    open: (address) => write(() => inbox.open(address)),
    readPage: (query) => mapStoreErrors(items.readPage(query)),
    countItems: (address) => mapStoreErrors(items.countItems(address)),
    findPosition: (anchor) => mapStoreErrors(items.findPosition(anchor)),
    changeItem: (anchor, states) => change(anchor, () => items.changeItem(anchor, states)),
    changeItems: (states) => change(states, () => items.changeItems(states)),
  };
}

type StreamDeps = {
  env: Env<'api'>;
  database: Database;
  secrets: Secrets;
  lookUps: GatewayLookUps;
  redis: RedisConnection;
  log: Logger;
};

export function createStreams({ env, database, secrets, lookUps, redis, log }: StreamDeps): {
  inboxStreams: InboxStreams;
  wakeReader: WakeReader;
} {
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = env;
  const nameReader = createNameReader(secrets);
  return {
    wakeReader: createWakeReader({ redis, prefix, nameReader }),
    inboxStreams: createInboxStreams({
      nameReader,
      readNews: (query) => readInboxNews(database.lookUps, query),
      listChangedReaders: (readers) => listChangedReaders(database.lookUps, readers),
      findCredentialIds: async (appId) => findCredentialIds(lookUps, await lookUps.findApp(appId)),
      createListener: (on) => createWakeListener({ ...on, url, prefix, log }),
      max: env.MAX_INBOX_STREAMS,
      log,
    }),
  };
}
