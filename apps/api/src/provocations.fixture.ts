import { createSemaphore, newId } from '@belfry/runtime';
import type { ErrorCode } from '@belfry/shared';
import { findClosedPort } from '@belfry/testing';
import { type Call, type CallAnswer, send, sendHead } from './documented-calls.fixture';
import { signatureHeader } from './middleware/authenticate-reader';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

/** Gateways on the same stores, each configured to refuse for one reason. */
export type Gateways = Record<
  'usual' | 'limited' | 'https' | 'faulty' | 'storeless' | 'hasty',
  StoredGateway
>;

export async function startGateways(): Promise<Gateways> {
  const [usual, limited, https, faulty, storeless, hasty] = await Promise.all([
    createStoredGateway(),
    createStoredGateway({ env: { RATE_LIMIT_PER_SECOND: '1' } }),
    createStoredGateway({ env: { ALLOW_HTTP: 'false' } }),
    createStoredGateway({
      deps: { limitRate: () => Promise.reject(new Error('internal failure')) },
    }),
    createStoredGateway({
      env: { DATABASE_URL: `postgresql://belfry@127.0.0.1:${await findClosedPort()}/belfry` },
    }),
    createStoredGateway(),
  ]);
  hasty.server.headersTimeout = 100;
  return { usual, limited, https, faulty, storeless, hasty };
}

/** Turns a valid call into an error. On routes without that error the call succeeds or fails differently. */
type Provoke = (call: Call, gateways: Gateways) => Promise<CallAnswer>;

export const draftEvent = 'order_returned';
/** A template that lists every pair of `data.list`. */
export const expensiveEvent = 'all_pairs';

/** Receipts come from providers and are not part of the documented API. */
type DocumentedCode = Exclude<ErrorCode, 'signature_invalid'>;

export const provocations: Record<DocumentedCode, Provoke> = {
  bad_request: (call, { usual }) =>
    sendHead(usual, call, { extraLine: 'a line without a colon', isWhole: true }),
  malformed_json: withBody('{'),
  invalid_type: withBody('[]'),
  hostile_json: withBody('['.repeat(33) + ']'.repeat(33)),
  idempotency_key_invalid: withHeader('Idempotency-Key', 'k'.repeat(256)),
  event_not_live: withEvent(draftEvent),
  unauthenticated: (call, { usual }) =>
    send(usual, { ...call, headers: withoutCredentials(call.headers) }),
  https_required: (call, { https }) => send(https, call),
  app_not_found: withParameter('app_id', newId()),
  event_not_found: withEvent('no_such_event'),
  user_not_found: withParameter('user_id', 'nobody'),
  device_not_found: withParameter('device_id', newId()),
  request_not_found: withParameter('request_id', newId()),
  message_not_found: (call, { usual }) => {
    const message = { last_message_id: newId(), message_id: newId() };
    const query = { ...call.query, ...message };
    return send(usual, { ...call, query, body: changed(call.body, message) });
  },
  not_found: withParameter('app_id', ''),
  request_timeout: (call, { hasty }) => sendHead(hasty, call, { isWhole: false }),
  idempotency_conflict: (call, { usual }) => sendWhileKeyIsInUse(usual, call),
  body_too_large: withHeader('Content-Length', '10000001'),
  unsupported_media_type: withHeader('Content-Type', 'text/plain'),
  validation_failed: ({ body, ...call }, { usual }) =>
    send(usual, {
      ...call,
      query: { limit: '0', timeout: '31' },
      body: body === undefined ? undefined : JSON.stringify(oneProblemOfEachRoute),
    }),
  too_complex: (call, { usual }) =>
    send(usual, {
      ...call,
      query: { ...call.query, dry_run: 'true' },
      body: changed(call.body, { event: expensiveEvent, data: { list: Array(1_000).fill(0) } }),
    }),
  idempotency_mismatch: async (call, { usual }) => {
    const callWithKey = { ...call, headers: { ...call.headers, 'Idempotency-Key': newId() } };
    await send(usual, callWithKey);
    return send(usual, { ...callWithKey, body: changed(call.body, { another: 1 }) });
  },
  rate_limited: async (call, { limited }) => {
    // The window may end between two calls, but not between six.
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => send(limited, call)));
    const [first] = answers.sort((a, b) => b.status - a.status);
    if (!first) throw new Error('No call was sent');
    return first;
  },
  storage_limit: sendWhenStorageIsFull,
  headers_too_large: withHeader('X-Large', 'x'.repeat(17_000)),
  internal: (call, { faulty }) => send(faulty, call),
  unsupported_transfer_encoding: (call, { usual }) =>
    sendHead(usual, call, { extraLine: 'Transfer-Encoding: gzip, chunked', isWhole: true }),
  unavailable: (call, { storeless }) => send(storeless, call),
};

function withoutCredentials({
  Authorization: _key,
  [signatureHeader]: _signature,
  ...headers
}: Call['headers']): Call['headers'] {
  return headers;
}

/** Invalid members. Each route with a body reads at least one of them. */
const oneProblemOfEachRoute = {
  ...{ platform: 'windows', batch: [{ user: {} }], type: 'CLICKED' },
  ...{ message_id: 'm', status: 'READ' },
};

function withBody(body: string): Provoke {
  return (call, { usual }) => send(usual, { ...call, body });
}

function withHeader(name: string, value: string): Provoke {
  return (call, { usual }) => send(usual, { ...call, headers: { ...call.headers, [name]: value } });
}

function withParameter(name: string, value: string): Provoke {
  return (call, { usual }) =>
    send(usual, { ...call, parameters: { ...call.parameters, [name]: value } });
}

function withEvent(event: string): Provoke {
  return (call, { usual }) => send(usual, { ...call, body: changed(call.body, { event }) });
}

/** Changes members of a body, if there is one. */
function changed(body: Call['body'], members: object): Call['body'] {
  return typeof body === 'object' ? { ...body, ...members } : body;
}

/** The transactions of a test share two connections. */
const lockOfTable = createSemaphore(1);

/** While the table is locked no key can be written, so one of two calls gets a conflict. */
async function sendWhileKeyIsInUse(gateway: StoredGateway, call: Call): Promise<CallAnswer> {
  const callWithKey = { ...call, headers: { ...call.headers, 'Idempotency-Key': newId() } };
  let both: Promise<CallAnswer>[] = [];
  const release = await lockOfTable.acquire();
  try {
    return await gateway.database.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`LOCK TABLE idempotency_key IN SHARE MODE`;
      both = [send(gateway, callWithKey), send(gateway, callWithKey)];
      return Promise.race(both);
    });
  } finally {
    await Promise.all(both);
    release();
  }
}

/** Runs without a stored user, because an inbox is refused only to a user who is not stored. */
async function sendWhenStorageIsFull(call: Call, { usual }: Gateways): Promise<CallAnswer> {
  const { prisma } = usual.database;
  const appId = String(call.parameters['app_id']);
  const toggle = async (isStorageFull: boolean) => {
    const { accountId } = await prisma.app.findUniqueOrThrow({ where: { id: appId } });
    await prisma.account.update({ where: { id: accountId }, data: { isStorageFull } });
    await prisma.$executeRaw`UPDATE app_user SET user_id = reverse(user_id) WHERE app_id = ${appId}::uuid`;
  };
  await toggle(true);
  try {
    return await send(usual, call);
  } finally {
    await toggle(false);
  }
}
