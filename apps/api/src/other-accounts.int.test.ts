import { createHmac, randomInt } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { buildReceiptUrl, newId } from '@belfry/runtime';
import {
  type Answer,
  buildRequestTarget,
  createRowWatch,
  createTwin,
  ownDatabase,
  probeReads,
  probeRoute,
  type ReadRecorder,
  type RouteCall,
  type RowWatch,
  recordReads,
  type Scene,
  type Tenant,
  testSecrets,
  type ValueTypes,
  type Victim,
} from '@belfry/testing';
import request from 'supertest';
import { listBodyPaths } from './body-paths.fixture';
import type { OpenApi } from './documented-calls.fixture';
import { signatureHeader } from './middleware/authenticate-reader';
import {
  bodyByRoute,
  cancelRoute,
  findRoute,
  frontEndRoutes,
  linkRoutes,
  listParameterNames,
  openRoutes,
  providerRoutes,
  publicRoutes,
  queryByRoute,
  routesWithRow,
} from './routes.fixture';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

jest.setTimeout(120_000);

/** Values for the fields that routes read; see packages/testing. */
const types: ValueTypes = {
  app_id: 'appId',
  user_id: 'userId',
  device_id: ['deviceSid', 'clientId'],
  endpoint_id: 'webhookEndpointId',
  delivery_id: 'webhookDeliveryId',
  integration_id: 'integrationId',
  'Idempotency-Key': 'idempotencyKey',
  // Queries.
  request_id: 'requestId',
  last_message_id: 'inboxMessageId',
  to: ['email', 'userId'],
  idempotency_key: 'idempotencyKey',
  ...plain('outcome'),
  ...plain('secret', 'channel', 'after', 'cursor', 'count', 'timeout', 'limit', 'dry_run', 'hub'),
  // Bodies.
  cancel_key: 'cancelKey',
  user_ids: { list: 'userId' },
  event: 'eventName',
  batch: 'object',
  user: 'object',
  email: 'email',
  mobile: 'mobile',
  fcm_tokens: { list: 'token' },
  ...plain('whatsapp_mobile', 'whats_app', 'onesignal_external_id', 'onesignal_player_ids'),
  ...plain('slack', 'telegram', 'ios_tokens', 'fcm_topic', 'fcm_device_group', 'preferences'),
  ...plain('metadata', 'data', 'override', 'locale', 'schedule_at', 'scheduleAt', 'scheduled_at'),
  ...plain('notifications_disabled', 'onesignal_player_id', 'xiaomi_token', 'oppo_token'),
  ...plain(
    'vivo_token',
    'huaweiToken',
    'scheduledAt',
    'type',
    'timestamp',
    'current_timestamp',
    'status',
    'platform',
  ),
  'devices.id': 'clientId',
  'sdk.id': 'clientId',
  device_sid: 'deviceSid',
  fcm_token: 'token',
  ...plain('push_subscription', 'endpoint', 'keys', 'p256dh', 'auth', 'expirationTime', 'topics'),
  notification_id: 'pushMessageId',
  message_id: 'inboxMessageId',
  up_to: 'inboxMessageId',
  ...plain('before', 'archived', 'last_event_id', 'ticket', 'seen', 'read'),
  biz_opaque_callback_data: 'messageId',
  ...plain('url', 'types', 'description', 'enabled', 'since'),
  ...plain('disabled', 'channel_preferences', 'categories'),
};

function plain(...names: string[]): ValueTypes {
  return Object.fromEntries(names.map((name) => [name, 'plain']));
}

let store: Awaited<ReturnType<typeof ownDatabase>>;
let gateway: StoredGateway;
let document: OpenApi;
let reads: ReadRecorder;
let watch: RowWatch;
/** One has the same natural keys as every caller, the other has its own. */
let others: Victim[];
let account: Tenant;
let sibling: Victim;

beforeAll(async () => {
  store = await ownDatabase();
  const env = { TRUSTED_PROXIES: '127.0.0.1/32' };
  gateway = await createStoredGateway({ databaseUrl: store.url, env });
  document = (await request(gateway.server).get('/openapi.json')).body;
  reads = recordReads(gateway.api);
  watch = await createRowWatch(gateway.database);
  const { factories } = gateway;
  others = [
    await createVictim('shared', () => factories.createTenant()),
    await createVictim('victim-account', () => factories.createTenant()),
  ];
  account = await factories.createTenant();
  sibling = await createVictim('shared', createApp, account);
});
afterAll(async () => {
  await gateway.close();
  await store.drop();
});

/** With `of`, an app of that account; otherwise a new account. */
async function createVictim(
  word: string,
  createTenant: () => Promise<Tenant>,
  of?: Tenant,
): Promise<Victim> {
  const mark = `mark-${newId()}`;
  const shared = of && { ids: [of.accountId], tables: [] };
  const rows = watch.watch({ marks: [mark], ...(shared && { shared }) });
  const options = { word, mark, hasAccountRows: !of };
  const twin = await rows.add(async () =>
    createTwin(gateway.database, await createTenant(), options),
  );
  return { twin, rows, isSameAccount: of !== undefined };
}

async function createApp(): Promise<Tenant> {
  const { accountId } = account;
  const app = { id: newId(), accountId, name: 'Test app', delivery: 'sandbox' };
  await gateway.database.prisma.app.create({ data: app });
  return { ...account, appId: app.id };
}

type Route = { name: string; query?: Record<string, string>; cancelBy?: 'request_id' };

/** A valid call of the route by a caller that owns all data. */
async function open(route: Route, tenant: Tenant): Promise<Scene> {
  const { name, query = {} } = route;
  const [method = '', path = ''] = name.split(' ');
  const hasAccountRows = tenant.accountId !== account.accountId;
  const options = { word: 'shared', mark: 'own', hasAccountRows };
  const twin = await createTwin(gateway.database, tenant, options);
  const { userId, deviceSid, requestId, webhookEndpointId, webhookDeliveryId } = twin.values;
  const own = await createOwn(route, twin);
  const values = {
    ...{ app_id: tenant.appId, user_id: userId, device_id: deviceSid, request_id: requestId },
    ...{ endpoint_id: webhookEndpointId, delivery_id: webhookDeliveryId },
    ...own.params,
  };
  const params = Object.fromEntries(
    listParameterNames(name).map((parameter) => [parameter, Reflect.get(values, parameter) ?? '']),
  );
  const target = { method: method.toLowerCase(), path, params, query: { ...query, ...own.query } };
  const hasEffect = method !== 'GET' && !('dry_run' in query);
  return {
    twin,
    hasEffect,
    call: { ...target, body: own.body, headers: {} },
    send: (call) => send(call, name, tenant),
  };
}

type Own = { params?: object; query?: Record<string, string>; body?: object };

async function createOwn({ name: route, cancelBy }: Route, twin: Victim['twin']): Promise<Own> {
  const { userId: user_id, eventName, inboxMessageId } = twin.values;
  const { requestId: request_id, cancelKey: cancel_key, idempotencyKey } = twin.values;
  if (route === cancelRoute) return { body: cancelBy ? { request_id } : { cancel_key } };
  if (route === findRoute) return { query: { idempotency_key: idempotencyKey } };
  if (providerRoutes.includes(route)) return createReceiptCall(twin);
  if (!frontEndRoutes.includes(route)) {
    const body = bodyByRoute[route]?.(eventName);
    return { query: queryByRoute[route] ?? {}, ...(body && { body }) };
  }
  const params = { message_id: inboxMessageId };
  if (listBodyPaths(document, route).length === 0) return { params, query: { user_id } };
  if (route.includes('/devices')) return { body: { fcm_token: newId() } };
  const state = { status: 'READ', up_to: inboxMessageId, read: true };
  return { params, body: { user_id, ...params, ...state, topics: ['news'] } };
}

const appSecret = 'b'.repeat(32);
const verifyToken = 'a-verify-token';

/** Meta's report for an accepted message. */
async function createReceiptCall({ tenant, values }: Victim['twin']): Promise<Own> {
  const { id: integrationId } = await gateway.factories.createIntegration(tenant, {
    ...{ channel: 'whatsapp', provider: 'meta', settings: { sender: '1' } },
    credentials: { app_secret: appSecret, verify_token: verifyToken },
  });
  const { messageId } = values;
  await gateway.database.prisma.attempt.create({ data: { messageId, number: 2, integrationId } });
  const secrets = testSecrets();
  const url = new URL(buildReceiptUrl({ publicUrl: 'http://a', secrets, integrationId }));
  const secret = url.pathname.split('/').at(-1) ?? '';
  const status = { id: 'wamid.A', status: 'delivered', timestamp: '1' };
  const statuses = [{ ...status, biz_opaque_callback_data: messageId }];
  const value = { metadata: { phone_number_id: '1' }, statuses };
  return {
    params: { integration_id: integrationId, secret },
    query: { 'hub.mode': 'subscribe', 'hub.challenge': 'c', 'hub.verify_token': verifyToken },
    body: { entry: [{ changes: [{ field: 'messages', value }] }] },
  };
}

/** Each call comes from another network, because unknown apps are limited by network. */
function createNetworkHeader(): Record<string, string> {
  return { 'X-Forwarded-For': `10.${[1, 2, 3].map(() => randomInt(1, 255)).join('.')}` };
}

/** Adds the credentials for the kind of route. */
async function send(call: RouteCall, route: string, { apiKey }: Tenant): Promise<Answer> {
  const sentBody = call.method === 'get' ? undefined : JSON.stringify(call.body);
  const inUrl = call.params['user_id'] ?? call.query['user_id'] ?? '';
  const { user_id = inUrl } = (call.body ?? {}) as { user_id?: string };
  const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');
  const credentials = frontEndRoutes.includes(route)
    ? { [signatureHeader]: sign(apiKey, user_id) }
    : { Authorization: `AuthKey ${apiKey}` };
  Object.assign(credentials, createNetworkHeader());
  if (route.endsWith('/stream')) return readStream(buildRequestTarget(call), credentials);
  const sent = request(gateway.server)
    [call.method as 'get'](buildRequestTarget(call))
    .set({ ...credentials, ...call.headers, 'Content-Type': 'application/json' })
    .set('X-Hub-Signature-256', `sha256=${sign(appSecret, sentBody ?? '')}`);
  const { status, headers, text } = await (sentBody === undefined ? sent : sent.send(sentBody));
  const { date: _date, 'x-request-id': _id, ...others } = headers;
  // They are random, or depend on the reader and the time.
  const body = text.replaceAll(/"(after|stream|ticket|secret|timestamp)":"[^"]*"/g, '"$1":"<id>"');
  return { status, text: JSON.stringify([others, body]) };
}

/** Reads a stream until its counts, or a refusal. An event ID has the time, and `retry` is random. */
async function readStream(target: string, headers: Record<string, string>): Promise<Answer> {
  const { port } = gateway.server.address() as AddressInfo;
  const controller = new AbortController();
  const url = new URL(target, `http://127.0.0.1:${port}`);
  const { status, body } = await fetch(url, { headers, signal: controller.signal });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk);
    if (status === 200 && text.includes('event: counts')) break;
  }
  controller.abort();
  return { status, text: text.replace(/^(id|retry): .*$/gm, '') };
}

/** The input of a route besides its path and query. */
function listPlaces({ name, query }: Route): string[] {
  if (providerRoutes.includes(name)) {
    return ['body.entry.changes.value.statuses.biz_opaque_callback_data'];
  }
  const takesKey = name.startsWith('POST') && routesWithRow.includes(name) && !query;
  return [...listBodyPaths(document, name), ...(takesKey ? ['headers.Idempotency-Key'] : [])];
}

/** The findings for each route. */
async function probe(
  routes: readonly Route[],
  { victims, create }: { victims: Victim[]; create(): Promise<Tenant> },
): Promise<string[]> {
  const problems: string[] = [];
  for (const route of routes) {
    const openScene = async () => open(route, await create());
    const takeReads = () => [...reads.take(), ...listPlaces(route)];
    problems.push(...(await probeRoute({ open: openScene, takeReads, types, victims, watch })));
  }
  return [...problems, ...(await watch.findChanges())];
}

/** All routes, and the dry run of a send. */
function listRoutes(): Route[] {
  const query = { dry_run: 'true' };
  const names = [...routesWithRow, ...frontEndRoutes, ...providerRoutes];
  return [
    ...names.map((name) => ({ name })),
    { name: 'POST /v1/apps/:app_id/events/send', query },
    { name: cancelRoute, cancelBy: 'request_id' },
  ];
}

test('these tests call every route of an account, and the OpenAPI document lists them', () => {
  const names = listRoutes().map(({ name }) => name);
  const all = [...names, ...publicRoutes, ...openRoutes, ...linkRoutes];
  expect([...new Set(all)].sort()).toEqual([...gateway.routes].sort());
  const documented = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  );
  expect(documented.sort()).toEqual([...routesWithRow, ...frontEndRoutes, ...openRoutes].sort());
});

test('the accounts that callers must not see have rows in every table of an app or account', async () => {
  for (const { rows } of others) expect(await rows.listEmptyTables()).toEqual([]);
});

test('a caller can neither read nor change another account’s data, whatever the route and its values', async () => {
  const create = () => gateway.factories.createTenant();
  expect(await probe(listRoutes(), { victims: others, create })).toEqual([]);
});

test('responses do not depend on the data of another account', async () => {
  const scenes: Scene[] = [];
  for (const route of listRoutes().filter(({ name }) => name.startsWith('GET'))) {
    scenes.push(await open(route, await gateway.factories.createTenant()));
  }
  const createOther = () => createVictim('shared', () => gateway.factories.createTenant());
  expect(await probeReads(scenes, createOther)).toEqual([]);
});

test('a caller can neither read nor change data of another app of its account', async () => {
  expect(await probe(listRoutes(), { victims: [sibling], create: createApp })).toEqual([]);
});
