import { createHmac } from 'node:crypto';
import { writeCapture } from '@belfry/pipeline/deliver';
import { newId } from '@belfry/runtime';
import { createValidator } from '@belfry/shared';
import { channelVersion, type Tenant } from '@belfry/testing';
import request from 'supertest';
import {
  type Call,
  type CallAnswer,
  type DocumentedOperation,
  type DocumentedResponse,
  isJson,
  listErrors,
  listOperations,
  listSchemaNames,
  type OpenApi,
  send,
} from './documented-calls.fixture';
import { signatureHeader } from './middleware/authenticate-reader';
import {
  draftEvent,
  expensiveEvent,
  type Gateways,
  provocations,
  startGateways,
} from './provocations.fixture';
import { inboxItemExample } from './routes/inbox-operations';
import { openPushOperations } from './routes/open-push';
import { capturedExample } from './routes/sandbox';

jest.setTimeout(60_000);

const codes = Object.keys(provocations) as (keyof typeof provocations)[];

let gateways: Gateways;
let document: OpenApi;
let operations: DocumentedOperation[];
/** One for each operation, so that they do not interfere. */
let tenants: Map<DocumentedOperation, Tenant>;

beforeAll(async () => {
  gateways = await startGateways();
  document = (await request(gateways.usual.server).get('/openapi.json')).body;
  operations = listOperations(document);
  tenants = new Map();
  for (const each of operations) tenants.set(each, await createDocumentedTenant());
});

afterAll(() => Promise.all(Object.values(gateways).map((gateway) => gateway.close())));

/** An account with the event, user and device of the examples. */
async function createDocumentedTenant(): Promise<Tenant> {
  const { factories } = gateways.usual;
  const tenant = await factories.createTenant();
  await factories.createEvent(
    tenant,
    {
      email: channelVersion({ subject: 'Order', text: 'Hello {{user_name}}' }),
      slack: channelVersion({ text: 'Hello {{user_name}}' }),
    },
    { name: 'order_shipped' },
  );
  const pairs = '{{#each list}}{{#each ../list}}{{/each}}{{/each}}';
  const channels = { email: channelVersion({ subject: 'All pairs', text: pairs }) };
  await factories.createEvent(tenant, channels, { name: expensiveEvent });
  await factories.createDraft(tenant, draftEvent);
  await factories.createIntegration(tenant, {
    ...{ channel: 'push', provider: 'web_push', settings: { subject: 'mailto:a@example.com' } },
    credentials: openPushOperations.webPushKey.answerExample,
  });
  await factories.createCategory(tenant, 'news');
  await sendFirst(tenant, 'POST /v1/apps/{app_id}/users');
  await createItem(tenant);
  await createCapture(tenant);
  return tenant;
}

/** The capture of the documented send. */
async function createCapture(tenant: Tenant): Promise<void> {
  const { database } = gateways.usual;
  const { body } = await sendFirst(tenant, sendEvent);
  const { channel, to: target, ...captured } = capturedExample;
  const where = { requestId: String(body['request_id']), channel };
  const { id: messageId } = await database.prisma.message.findFirstOrThrow({ where });
  const capture = { ...captured, appId: tenant.appId, messageId, channel, target };
  await writeCapture(database.delivery, capture);
}

const reader = 'customer-1';

/** Creates an inbox item of the documented user and returns its message ID. */
async function createItem({ appId }: Tenant, archivedAt?: Date): Promise<string> {
  const content = inboxItemExample.message_body;
  const ids = { id: newId(), appId, userId: reader, messageId: newId() };
  const data = { ...ids, content, archivedAt: archivedAt ?? null };
  return (await gateways.usual.database.prisma.inboxItem.create({ data })).messageId;
}

/** The message that a body names: the account's, or a later one. */
async function ownMessages(tenant: Tenant, body: Record<string, unknown>) {
  if ('last_message_id' in body) {
    return { ...body, last_message_id: await createItem(tenant, new Date()) };
  }
  if ('up_to' in body) return { ...body, up_to: await findMessage(tenant) };
  return 'message_id' in body ? { ...body, message_id: await findMessage(tenant) } : body;
}

async function findMessage({ appId }: Tenant): Promise<string> {
  const { prisma } = gateways.usual.database;
  return (await prisma.inboxItem.findFirstOrThrow({ where: { appId } })).messageId;
}

function buildCredentials(
  { apiKey }: Tenant,
  credential: DocumentedOperation['credential'],
): Record<string, string> {
  const signature = createHmac('sha256', apiKey).update(reader).digest('hex');
  const headers = {
    key: { Authorization: `AuthKey ${apiKey}` },
    signature: { [signatureHeader]: signature },
    none: {},
  };
  return headers[credential];
}

/** A documented call with the account's IDs in place of the example's. */
async function buildCall(
  tenant: Tenant,
  { method, path, parameters, query, credential }: DocumentedOperation,
  body: Record<string, unknown> | undefined,
): Promise<Call> {
  const ids: Record<string, string> = { app_id: tenant.appId };
  if ('device_id' in parameters) {
    ids['device_id'] = String((await sendFirst(tenant, addDevice)).body['device_sid']);
  }
  if ('endpoint_id' in parameters) {
    ids['endpoint_id'] = await findEndpoint(tenant);
  }
  if (`${method} ${path}` === createWebhook) await removeEndpoints(tenant);
  if (path.includes('/deliveries')) {
    ids['delivery_id'] = await sendExample(tenant, ids['endpoint_id'] ?? '');
  }
  if ('request_id' in parameters) {
    ids['request_id'] = String((await sendFirst(tenant, sendEvent)).body['request_id']);
  }
  if ('idempotency_key' in query) await sendWithKey(tenant, query['idempotency_key']);
  if ('message_id' in parameters) ids['message_id'] = await findMessage(tenant);
  return {
    method,
    path,
    parameters: { ...parameters, ...ids },
    query,
    headers: {
      ...buildCredentials(tenant, credential),
      // The example of a request's status has this trace.
      traceparent: document.components.parameters.traceparent.example,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: body && (await ownValues(tenant, path, body)),
  };
}

const createWebhook = 'POST /v1/apps/{app_id}/webhooks';
/** The documented send, with this key. */
async function sendWithKey(tenant: Tenant, key = ''): Promise<void> {
  const operation = operations.find(({ name }) => name === sendEvent)!;
  const call = await buildCall(tenant, operation, operation.bodies[0]!.value);
  await send(gateways.usual, { ...call, headers: { ...call.headers, 'Idempotency-Key': key } });
}

async function ownValues(tenant: Tenant, path: string, body: Record<string, unknown>) {
  return path.endsWith('/events/cancel') ? ownCancel(tenant, body) : ownMessages(tenant, body);
}

/** The cancel of a documented send: its request, or the first one with a cancel key. */
async function ownCancel(tenant: Tenant, body: Record<string, unknown>) {
  const operation = operations.find(({ name }) => name === sendEvent)!;
  const example = operation.bodies.find(({ value }) => value && 'cancel_key' in value)!;
  const call = await buildCall(tenant, operation, example.value);
  const { body: answer } = await send(gateways.usual, call);
  return 'request_id' in body ? { ...body, request_id: answer['request_id'] } : body;
}

const sendEvent = 'POST /v1/apps/{app_id}/events/send';
const addDevice = 'POST /v1/apps/{app_id}/users/{user_id}/devices';

/** The documented endpoint of the account. */
async function findEndpoint(tenant: Tenant): Promise<string> {
  const { webhookEndpoint } = gateways.usual.database.prisma;
  const endpoint = await webhookEndpoint.findFirst({ where: { appId: tenant.appId } });
  return endpoint?.id ?? String((await sendFirst(tenant, createWebhook)).body['id']);
}

/** An app can have 10. */
async function removeEndpoints({ appId }: Tenant): Promise<void> {
  await gateways.usual.database.prisma.webhookEndpoint.deleteMany({ where: { appId } });
}

/** Returns the ID of the delivery of an example. */
async function sendExample(tenant: Tenant, endpoint_id: string): Promise<string> {
  const name = 'POST /v1/apps/{app_id}/webhooks/{endpoint_id}/example';
  const operation = operations.find((each) => each.name === name)!;
  const call = await buildCall(tenant, operation, operation.bodies[0]!.value);
  const parameters = { ...call.parameters, endpoint_id };
  return String((await send(gateways.usual, { ...call, parameters })).body['id']);
}

async function sendFirst(tenant: Tenant, name: string): Promise<CallAnswer> {
  const operation = operations.find((each) => each.name === name)!;
  return send(gateways.usual, await buildCall(tenant, operation, operation.bodies[0]!.value));
}

/** Picks the documented parts of a response, without values that differ each time. */
function pickDocumented(
  { status, headers, body }: CallAnswer,
  response: Pick<DocumentedResponse, 'headers'>,
) {
  const fixed = Object.entries(response.headers).filter(
    ([, header]) => header.example !== undefined,
  );
  return {
    status,
    type: headers['content-type'],
    headers: Object.fromEntries(fixed.map(([name]) => [name, headers[name.toLowerCase()]])),
    missing: Object.entries(response.headers)
      .filter(([name, { required }]) => required && headers[name.toLowerCase()] === undefined)
      .map(([name]) => name),
    body: withoutIds(body),
  };
}

function documented(status: number, response: Pick<DocumentedResponse, 'headers'>, body: unknown) {
  const examples = Object.entries(response.headers).flatMap(([name, { example }]) =>
    example === undefined ? [] : [[name, example]],
  );
  return {
    status,
    type: 'application/json',
    headers: Object.fromEntries(examples),
    missing: [],
    body: withoutIds(body),
  };
}

const newEachTime =
  /^(request_id|id|message_id|user_sid|device_sid|timestamp|created_at|updated_at|captured_at|accepted_at|due_at|next|seen_at|read_at|after|stream|ticket|app_id|secret|occurred_at|next_at|previous_secret_ends_at)$/;

function withoutIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member) => (newEachTime.test(key) ? typeof member : member)),
  );
}

/** Calls as the account with the data of the examples. */
async function sendAsTenant(
  operation: DocumentedOperation,
  body: Record<string, unknown> | undefined,
): Promise<CallAnswer> {
  const tenant = await createDocumentedTenant();
  if (operation.path.includes('/users')) await sendFirst(tenant, addDevice);
  if (operation.name === 'GET /v1/apps/{app_id}/webhooks') await sendFirst(tenant, createWebhook);
  return send(gateways.usual, await buildCall(tenant, operation, body));
}

describe('a documented request', () => {
  test('gets the documented status, headers and body, which match the schema', async () => {
    expect(operations.length).toBeGreaterThan(0);
    for (const operation of operations.filter(isJson)) {
      const response = operation.responses['200']!;
      const { examples } = response.content['application/json'];
      const [name, ...dryRunNames] = listSchemaNames(response);
      const validate = createValidator(document.components.schemas[name!]!);
      expect(Object.keys(examples)).toEqual(['success', ...dryRunNames.map(() => 'dry_run')]);
      for (const { name, value } of operation.bodies) {
        const answer = await sendAsTenant(operation, value);
        const what = `${operation.name}: ${name}`;
        expect([what, pickDocumented(answer, response)]).toEqual([
          what,
          documented(200, response, examples['success']!.value),
        ]);
        expect(() => validate(answer.body)).not.toThrow();
      }
    }
  });

  test('gets the documented dry-run response, except for IDs', async () => {
    const dryRunOperations = operations
      .filter(isJson)
      .filter(({ responses }) => listSchemaNames(responses['200']!).length > 1);
    expect(dryRunOperations.map(({ name }) => name)).toEqual([
      'POST /v1/apps/{app_id}/events/send',
    ]);
    for (const operation of dryRunOperations) {
      const response = operation.responses['200']!;
      const validate = createValidator(document.components.schemas[listSchemaNames(response)[1]!]!);
      const call = await buildCall(
        await createDocumentedTenant(),
        operation,
        operation.bodies[0]!.value,
      );
      const answer = await send(gateways.usual, { ...call, query: { dry_run: 'true' } });
      const { dry_run: example } = response.content['application/json'].examples;
      const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
      const sameIds = (body: unknown) => JSON.parse(JSON.stringify(body).replace(uuid, '<id>'));
      expect(sameIds(answer.body)).toEqual(sameIds(example!.value));
      expect(() => validate(answer.body)).not.toThrow();
    }
  });

  test('gets rate-limit headers, and replays its documented key only for POST', async () => {
    const key = document.components.parameters.idempotencyKey.example;
    for (const operation of operations) {
      const tenant = await createDocumentedTenant();
      const call = await buildCall(tenant, operation, operation.bodies[0]!.value);
      const callWithKey = { ...call, headers: { ...call.headers, 'Idempotency-Key': key } };
      const first = await send(gateways.limited, callWithKey);
      const second = await send(gateways.usual, callWithKey);
      const documentedNames = Object.keys(operation.responses['200']!.headers);
      expect(documentedNames).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
      expect([first.headers['ratelimit'], first.headers['ratelimit-policy']]).toEqual([
        '"account";r=0;t=1',
        '"account";q=1;w=1',
      ]);
      const isReplay = second.headers['idempotent-replayed'] === 'true';
      expect([operation.name, isReplay]).toEqual([
        operation.name,
        documentedNames.includes('Idempotent-Replayed'),
      ]);
      if (isReplay) expect(second.body).toEqual(first.body);
    }
  });
});

describe('a documented error', () => {
  test('can be provoked on every route that documents it', () => {
    for (const operation of operations) {
      for (const { code } of listErrors(operation))
        expect(Object.keys(provocations)).toContain(code);
    }
  });

  test.each(codes)('%s matches its documentation and occurs on no other route', async (code) => {
    const provoked = await Promise.all(
      operations.map(async (operation) => ({
        operation,
        answer: await provoke(code, operation),
      })),
    );
    for (const { operation, answer } of provoked) {
      const { name } = operation;
      const errors = listErrors(operation);
      const error = errors.find((each) => each.code === code);
      if (error) {
        const { status, body } = error;
        expect([name, pickDocumented(answer, error)]).toEqual([
          name,
          documented(status, error, body),
        ]);
        expect(answer.body['request_id']).toBe(answer.headers['x-request-id']);
      } else if (answer.status !== 200) {
        expect([name, errors.map((each) => each.code)]).toEqual([
          name,
          expect.arrayContaining([answer.body['code']]),
        ]);
      }
    }
  });

  async function provoke(
    code: keyof typeof provocations,
    operation: DocumentedOperation,
  ): Promise<CallAnswer> {
    const call = await buildCall(tenants.get(operation)!, operation, operation.bodies[0]!.value);
    return provocations[code](call, gateways);
  }
});
