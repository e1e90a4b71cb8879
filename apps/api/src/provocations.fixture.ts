import { createSemaphore, newId } from '@belfry/runtime';
import type { ErrorCode } from '@belfry/shared';
import { findClosedPort } from '@belfry/testing';
import { type Call, type CallAnswer, openStream, send, sendHead } from './documented-calls.fixture';
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
  idempotency_key_invalid: ({ headers, query, ...call }, { usual }) => {
    const key = 'k'.repeat(256);
    const keyQuery = 'idempotency_key' in query ? { idempotency_key: key } : {};
    const keyHeaders = { ...headers, 'Idempotency-Key': key };
    return send(usual, { ...call, headers: keyHeaders, query: { ...query, ...keyQuery } });
  },
  event_not_live: withEvent(draftEvent),
  unauthenticated: (call, { usual }) =>
    send(usual, { ...call, headers: withWrongCredentials(call) }),
  https_required: (call, { https }) => send(https, call),
  app_not_found: withParameter('app_id', newId()),
  event_not_found: withEvent('no_such_event'),
  user_not_found: (call, gateways) =>
    signatureHeader in call.headers
      ? sendWithoutUser(call, gateways)
      : withParameter('user_id', 'nobody')(call, gateways),
  device_not_found: withParameter('device_id', newId()),
  request_not_found: ({ parameters, query, body, ...call }, { usual }) => {
    const id = newId();
    const keyQuery = 'idempotency_key' in query ? { idempotency_key: id } : {};
    return send(usual, {
      ...call,
      parameters: { ...parameters, request_id: id },
      query: { ...query, ...keyQuery },
      body: changed(body, { request_id: id }),
    });
  },
  push_not_configured: (call, gateways) =>
    call.method === 'GET'
      ? withParameter('app_id', newId())(call, gateways)
      : sendLive(call, gateways),
  webhook_not_found: withParameter('endpoint_id', newId()),
  webhook_delivery_not_found: withParameter('delivery_id', newId()),
  too_many_webhooks: async (call, { usual }) => {
    for (let created = 0; created < 10; created += 1) await send(usual, call);
    return send(usual, call);
  },
  message_not_found: (call, { usual }) => {
    const message = { last_message_id: newId(), message_id: newId(), up_to: newId() };
    const { last_message_id, message_id } = message;
    return send(usual, {
      ...call,
      query: { ...call.query, last_message_id },
      parameters: { ...call.parameters, message_id },
      body: changed(call.body, message),
    });
  },
  not_found: withParameter('app_id', ''),
  request_timeout: (call, { hasty }) => sendHead(hasty, call, { isWhole: false }),
  idempotency_conflict: (call, { usual }) => sendWhileKeyIsInUse(usual, call),
  body_too_large: withHeader('Content-Length', '10000001'),
  unsupported_media_type: withHeader('Content-Type', 'text/plain'),
  validation_failed: ({ body, query, ...call }, { usual }) => {
    const status = call.path.endsWith('/in_app/status') ? 'DELIVERED' : 'READ';
    const { user_id: _userId, ...others } = query;
    return send(usual, {
      ...call,
      query: { ...others, limit: '0', timeout: '31' },
      body: body && JSON.stringify({ ...oneProblemOfEachRoute, status }),
    });
  },
  too_complex: (call, { usual }) =>
    send(usual, {
      ...call,
      query: { ...call.query, dry_run: 'true' },
      body: changed(call.body, { event: expensiveEvent, data: { list: Array(1_000).fill(0) } }),
    }),
  idempotency_mismatch: async (call, { usual }) => {
    const callWithKey = { ...call, headers: { ...call.headers, 'Idempotency-Key': newId() } };
    await send(usual, callWithKey);
    // A call without a body differs in its path.
    const parameters = { ...call.parameters, ...(!call.body && { endpoint_id: newId() }) };
    return send(usual, { ...callWithKey, parameters, body: changed(call.body, { another: 1 }) });
  },
  rate_limited: async (call, { limited }) => {
    // The window may end between two calls, but not between six.
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => send(limited, call)));
    const [first] = answers.sort((a, b) => b.status - a.status);
    if (!first) throw new Error('No call was sent');
    return first;
  },
  too_many_streams: sendBesideStreams,
  storage_limit: sendWhenStorageIsFull,
  headers_too_large: withHeader('X-Large', 'x'.repeat(17_000)),
  internal: (call, { faulty }) => send(faulty, call),
  unsupported_transfer_encoding: (call, { usual }) =>
    sendHead(usual, call, { extraLine: 'Transfer-Encoding: gzip, chunked', isWhole: true }),
  unavailable: (call, { storeless }) => send(storeless, call),
};

/** None, or a wrong key where none is needed. */
function withWrongCredentials({ path, headers }: Call): Call['headers'] {
  const others = withoutCredentials(headers);
  return path.endsWith('/push/status') ? { ...others, Authorization: 'AuthKey wrong' } : others;
}

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
  ...{ message_id: 'm', url: 'http://receiver.example', since: -1 },
  channel_preferences: { fax: {} },
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

/** Sends the call while the user has all streams that one user may have. */
async function sendBesideStreams(call: Call, { usual }: Gateways): Promise<CallAnswer> {
  if (!call.path.endsWith('/stream')) return send(usual, call);
  const streams = Array.from({ length: 10 }, () => openStream(usual, call));
  try {
    await Promise.all(streams.map(({ opened }) => opened));
    return await send(usual, call);
  } finally {
    for (const { close } of streams) close();
  }
}

/** The signature stays right, because the stored user is renamed. A call that creates users creates another one. */
async function sendWithoutUser(call: Call, { usual }: Gateways): Promise<CallAnswer> {
  const { user } = usual.database.prisma;
  const appId = String(call.parameters['app_id']);
  const { id, userId } = await user.findFirstOrThrow({ where: { appId } });
  const rename = (name: string) => user.update({ where: { id }, data: { userId: name } });
  await rename(newId());
  try {
    return await send(usual, call);
  } finally {
    await user.deleteMany({ where: { appId, userId } });
    await rename(userId);
  }
}

/** In live delivery the app has no FCM integration. */
async function sendLive(call: Call, { usual }: Gateways): Promise<CallAnswer> {
  const where = { id: String(call.parameters['app_id']) };
  const deliver = (delivery: string) =>
    usual.database.prisma.app.update({ where, data: { delivery } });
  await deliver('live');
  return send(usual, call).finally(() => deliver('sandbox'));
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
