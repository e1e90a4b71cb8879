import type { Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import {
  type BulkSendInput,
  createRunIdempotentRequest,
  type RunIdempotentRequest,
  type SendEventInput,
} from '@belfry/pipeline/accept';
import { createKeyRing, createLogger, createSecrets, newId } from '@belfry/runtime';
import { createApiKey } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { type ApiDeps, createApi } from './app';
import type { WebhookRoutesDeps } from './routes/webhooks';
import { type Api, createApiServer } from './server';

export const appId = '0197f0c0-0000-7000-8000-000000000001';
export const otherAppId = '0197f0c0-0000-7000-8000-000000000002';
export const sendPath = `/v1/apps/${appId}/events/send`;

const devicesWithoutStore = {
  addDevice: failWithoutStore,
  updateDevice: failWithoutStore,
  getDevice: failWithoutStore,
  deleteDevice: failWithoutStore,
};

const browserServicesWithoutStore = {
  takeOpenCall: () => true,
  isReportable: failWithoutStore,
  findWebPushKey: failWithoutStore,
  changeTopic: failWithoutStore,
};

const unsubscribesWithoutStore: ApiDeps['unsubscribes'] = {
  readToken: () => undefined,
  findPage: failWithoutStore,
  readPreferences: failWithoutStore,
  unsubscribe: failWithoutStore,
  changePreferences: failWithoutStore,
  channelLabels: {},
};

const webhooksWithoutStore: WebhookRoutesDeps = {
  webhooks: {
    ...{ list: failWithoutStore, find: failWithoutStore, create: failWithoutStore },
    ...{ change: failWithoutStore, remove: failWithoutStore, rotateSecret: failWithoutStore },
    ...{ listDeliveries: failWithoutStore, sendExample: failWithoutStore },
    ...{ resend: failWithoutStore, resendFailed: failWithoutStore },
  },
  findWebhookUrlProblem: () => undefined,
  webhookAnswerBox: { seal: (secret) => secret, open: (sealed) => sealed },
};

const wireChannels: ApiDeps['channels'] = {
  email: {
    override: Type.Object({ message: Type.Optional(Type.Object({})) }),
    recipient: {},
  },
  toy: {
    override: Type.Object({ colour: Type.Optional(Type.String()) }),
    recipient: { toy_address: Type.String({ maxLength: 5 }) },
  },
};

/** A gateway on in-memory stores: one account with one app and one key, and another account. */
export function createGateway(changes: Partial<ApiDeps> = {}, { isDirect = true } = {}) {
  const { key, id, secretHash } = createApiKey();
  const sent: SendEventInput[] = [];
  const sentInBulk: BulkSendInput[] = [];
  const counted: object[] = [];
  const lines: Record<string, unknown>[] = [];
  const deps: ApiDeps = {
    recordKeyUse: () => undefined,
    findApiKey: async (requestedId) =>
      requestedId === id ? { accountId: 'account_1', secretHash } : undefined,
    findApp: async (requestedId) => apps.find((app) => app.id === requestedId),
    sendEvent: async (input) => {
      sent.push(input);
      return { isWritten: true };
    },
    users: { writeUser: failWithoutStore, findWholeUser: failWithoutStore },
    preferences: { readPreferences: failWithoutStore, writePreferences: failWithoutStore },
    devices: devicesWithoutStore,
    inbox: inboxWithoutStore({ id, key }),
    inboxStreams: streamsWithoutStore,
    writeAppReport: failWithoutStore,
    ...{ findCaptures: failWithoutStore, readRequestStatus: failWithoutStore },
    ...{ findRequestByKey: failWithoutStore, cancelMessages: failWithoutStore },
    ...webhooksWithoutStore,
    unsubscribes: unsubscribesWithoutStore,
    isClosing: () => false,
    isPaused: () => false,
    receipts: receiptsWithoutStore(),
    runIdempotentRequest: createRunnerWithoutStores(),
    bulkSend: {
      readBatch: async () => ({ eventName: 'e', items: [], canonical: '' }),
      async acceptBatch(input) {
        sentInBulk.push(input);
        return { isWritten: true };
      },
    },
    dryRun: failWithoutStore,
    maxBatchItems: 5,
    limitRate: async () => undefined,
    ...browserServicesWithoutStore,
    ready: async () => true,
    channels: wireChannels,
    https: { allowHttp: true, isTrustedProxy: () => false },
    bodies: { maxBodyBytes: 20_000, maxBodiesInMemoryBytes: 64_000_000, pace },
    metrics: countRequests(counted),
    publicUrl: 'https://notify.example.com',
    log: createLogger({ level: 'info', process: 'api', stream: collectLines(lines) }),
    newId,
    ...changes,
  };
  const api = createApi(deps);
  const directTargets = watchDirectRoute(api, isDirect);
  const server = createApiServer(api, { ...deps.https, newId, log: deps.log });
  const auth = `AuthKey ${key}`;
  return { server, counted, sent, sentInBulk, lines, directTargets, keyId: id, auth, key };
}

function countRequests(counted: object[]): ApiDeps['metrics'] {
  return {
    countHttpRequest: (request) => counted.push(request),
    countUnsubscribe() {},
    observeStage() {},
  };
}

/** The URLs that the direct route handled; none if it is disabled. */
function watchDirectRoute(api: Api, isOpen: boolean): string[] {
  const targets: string[] = [];
  const { directRoute } = api;
  api.directRoute = (req, res) => {
    const isAnswered = isOpen && directRoute(req, res);
    if (isAnswered) targets.push(req.url);
    return isAnswered;
  };
  return targets;
}

/** Every download fails. */
export const noDownloads: ApiDeps['receipts']['downloads'] = {
  fetch: async () => ({ failed: 'refused', detail: 'Nothing can be downloaded.' }),
  simulators: {},
};

function receiptsWithoutStore(): ApiDeps['receipts'] {
  return {
    channels: {},
    secrets: createSecrets(createKeyRing()),
    findIntegration: async () => undefined,
    storeReceipts: failWithoutStore,
    storeMailSignature: failWithoutStore,
    storeReplies: failWithoutStore,
    downloads: noDownloads,
  };
}

function inboxWithoutStore({ id, key }: { id: string; key: string }): ApiDeps['inbox'] {
  return {
    async findApp(requestedId) {
      const app = apps.find((each) => each.id === requestedId);
      return app && { ...app, openInboxCounters: false, inboxSignature: true };
    },
    findSealedKeys: async (accountId) =>
      accountId === 'account_1' ? [{ id, sealed: key }] : [{ id: 'other', sealed: 'other' }],
    openKey: ({ sealed }) => sealed,
    findSealedSecrets: async () => [],
    openSecret: ({ sealed }) => sealed,
    secrets: createSecrets(createKeyRing()),
    ensureUser: failWithoutStore,
    isUserStored: failWithoutStore,
    listItems: failWithoutStore,
    countUnread: failWithoutStore,
    changeStatus: failWithoutStore,
    readAll: failWithoutStore,
    open: failWithoutStore,
    readPage: failWithoutStore,
    countItems: failWithoutStore,
    findPosition: failWithoutStore,
    changeItem: failWithoutStore,
    changeItems: failWithoutStore,
  };
}

const streamsWithoutStore: ApiDeps['inboxStreams'] = {
  check: () => undefined,
  open: () => void failWithoutStore(),
  count: () => 0,
  close: async () => undefined,
};

/** Knows no key and accepts every one. */
function createRunnerWithoutStores(): RunIdempotentRequest {
  return createRunIdempotentRequest({
    idempotencyStore: {
      begin: async () => ({ state: 'acquired' }),
      finish: async () => undefined,
      release: async () => undefined,
    },
    findStoredKey: async () => undefined,
    writeKeyAlone: async () => ({ isWritten: true }),
    secrets: createSecrets(createKeyRing()),
    failureBody: () => '',
    count: () => undefined,
  });
}

/** No minimum rate: tests that need one set it. */
const pace = { timeoutMs: 5_000, windowMs: 5_000, minBytes: 0 };

const apps = [
  {
    id: appId,
    accountId: 'account_1',
    delivery: 'sandbox' as const,
    defaultRegion: null,
    isStorageFull: false,
  },
  {
    id: otherAppId,
    accountId: 'account_2',
    delivery: 'sandbox' as const,
    defaultRegion: null,
    isStorageFull: false,
  },
];

async function failWithoutStore(): Promise<never> {
  throw new Error('This test gateway does not implement that store');
}

function collectLines(lines: Record<string, unknown>[]): Writable {
  return new Writable({
    write(chunk, _encoding, callback) {
      lines.push(JSON.parse(String(chunk)));
      callback();
    },
  });
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an AddressInfo.
  return (server.address() as AddressInfo).port;
}

export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Sends raw bytes. `answer` resolves with everything received when the server closes the connection. */
export function connect(port: number): { socket: Socket; answer: Promise<string> } {
  const socket = net.connect(port, '127.0.0.1');
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
}

export function parseBody(answer: string): Record<string, unknown> {
  return JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4));
}
