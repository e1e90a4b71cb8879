import { createHmac } from 'node:crypto';
import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant } from '@belfry/testing';
import request, { type Response } from 'supertest';
import {
  bodyOfRoute,
  type PathValues,
  parametersOf,
  placeOf,
  preflight,
  queryOfRoute,
  routesOfFrontEnds,
  routesOfProviders,
  routesWithRow,
} from './routes.fixture';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };

/** An account with one of everything that a call can name. */
type Account = Tenant & {
  event: string;
  userId: string;
  userSid: string;
  deviceSid: string;
  clientId: string;
  token: string;
  idempotencyKey: string;
  /** Of an item in the user's inbox. */
  messageId: string;
};

let gateway: StoredGateway;
let mine: Account;
let theirs: Account;

beforeAll(async () => {
  gateway = await createStoredGateway();
});
beforeEach(async () => {
  [mine, theirs] = await Promise.all([createAccount(), createAccount()]);
});
afterAll(() => gateway.close());

async function createAccount(): Promise<Account> {
  const tenant = await gateway.factories.createTenant();
  const { name: event } = await gateway.factories.createEvent(tenant, version);
  const place = { app: tenant.appId, apiKey: tenant.apiKey, method: 'post' } as const;
  const userId = newId();
  const device = { id: newId(), fcm_token: newId() };
  const idempotencyKey = newId();
  const user = await gateway.call({ ...place, path: '/users', body: { user_id: userId } });
  const added = await gateway.call({
    ...place,
    path: `/users/${userId}/devices`,
    body: device,
    headers: { 'Idempotency-Key': idempotencyKey },
  });
  const messageId = newId();
  await gateway.database.prisma.inboxItem.create({
    data: { id: newId(), appId: tenant.appId, userId, messageId, content: { title: 'Hello' } },
  });
  return {
    ...tenant,
    event,
    userId,
    messageId,
    userSid: user.body.user_sid,
    deviceSid: added.body.device_sid,
    clientId: device.id,
    token: device.fcm_token,
    idempotencyKey,
  };
}

type Call = {
  route: string;
  values?: PathValues;
  body?: object | undefined;
  idempotencyKey?: string | undefined;
};

function valuesOf({ appId, userId, deviceSid }: Account): PathValues {
  return { app_id: appId, user_id: userId, device_id: deviceSid };
}

/** A call of mine, for what is mine but where `values` says otherwise. */
function call({ route, values, body, idempotencyKey }: Call) {
  const { method, path } = placeOf(route, { ...valuesOf(mine), ...values });
  // Each method of a route is one that supertest has a function for.
  const asked = request(gateway.server)
    [method as 'get'](path)
    .query(queryOfRoute[route] ?? '')
    .set('Authorization', `AuthKey ${mine.apiKey}`);
  if (idempotencyKey !== undefined) void asked.set('Idempotency-Key', idempotencyKey);
  const given = body ?? bodyOfRoute[route]?.(mine.event);
  return given === undefined ? asked : asked.send(given);
}

/** All that a caller sees, but for the id of the call and, in it, the value that was asked for. */
function seen({ status, headers, text }: Response, asked: string) {
  const { date: _date, 'x-request-id': callId = '', ...others } = headers;
  expect(callId).toMatch(uuid);
  const body = text.replaceAll(callId, '<call>').replaceAll(asked, '<asked>');
  return { status, headers: Object.entries(others), body };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Answers that make something have ids and times of their own. */
function withoutNew(answer: ReturnType<typeof seen>) {
  const body = answer.body
    .replaceAll(new RegExp(uuid.source.slice(1, -1), 'g'), '<id>')
    .replaceAll(/\b\d{13}\b/g, '<time>');
  return { ...answer, body };
}

async function rowsOf({ accountId, appId }: Account) {
  const { user, device, requestItem, request: requests, ...others } = gateway.database.prisma;
  const { idempotencyKey, inboxItem, inboxReader } = others;
  return Promise.all([
    user.findMany({ where: { appId } }),
    device.findMany({ where: { appId } }),
    requests.findMany({ where: { accountId } }),
    requestItem.count({ where: { request: { accountId } } }),
    idempotencyKey.findMany({ where: { accountId } }),
    inboxItem.findMany({ where: { appId } }),
    inboxReader.findMany({ where: { appId } }),
  ]);
}

test('every route of the interface has a row here, and stands in the OpenAPI document', async () => {
  const routes = gateway.routes.filter((route) => route.includes(' /v1/')).sort();
  const listed = [...routesWithRow, ...routesOfFrontEnds, ...routesOfProviders, preflight];
  expect(listed.sort()).toEqual(routes);
  const { paths } = (await request(gateway.server).get('/openapi.json')).body;
  const documented = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  );
  expect(documented.sort()).toEqual([...routesWithRow, ...routesOfFrontEnds].sort());
});

describe.each(routesWithRow)('%s', (route) => {
  const codes: Record<string, string> = {
    app_id: 'app_not_found',
    user_id: 'user_not_found',
    device_id: 'device_not_found',
  };

  test('takes the row’s call for what is one’s own', async () => {
    expect((await call({ route })).status).toBe(200);
  });

  test.each(parametersOf(route))(
    'answers another account’s %s with the same status, headers and body as one that does not exist',
    async (parameter) => {
      // What stands after it in the path is theirs, too, so that only this one value decides.
      const names = parametersOf(route);
      const later = names.slice(names.indexOf(parameter) + 1);
      const theirValues = valuesOf(theirs);
      const values = Object.fromEntries(later.map((name) => [name, theirValues[name] ?? '']));
      const before = await rowsOf(theirs);
      const asked = [theirValues[parameter] ?? '', theirs.clientId, newId(), newId()];
      const keys = [undefined, newId()];
      const answers = [];
      for (const idempotencyKey of keys) {
        for (const value of asked) {
          const response = await call({
            route,
            values: { ...values, [parameter]: value },
            idempotencyKey,
          });
          expect(response.body.code).toBe(codes[parameter]);
          answers.push(seen(response, value));
        }
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect(answers[0]?.status).toBe(404);
      expect(await rowsOf(theirs)).toEqual(before);
    },
  );
});

type Reading = { app: string; userId: string; messageId: string };

/** The bodies of those that take one; the others have the user in their query. */
const bodyOfFrontEnd: Record<string, (reading: Reading) => object> = {
  fetch: ({ userId, messageId }) => ({ user_id: userId, last_message_id: messageId }),
  update: ({ userId, messageId }) => ({ user_id: userId, message_id: messageId, status: 'READ' }),
  read_all: ({ userId, messageId }) => ({ user_id: userId, message_id: messageId }),
};

const bodyOf = (route: string) => bodyOfFrontEnd[route.split('/').at(-1) ?? ''];

/** A front end of mine: signed with my key, for what is mine but where it says otherwise. */
function callAsFrontEnd(route: string, changes: Partial<Reading> = {}) {
  const { appId: app, userId, messageId } = mine;
  const reading = { app, userId, messageId, ...changes };
  const body = bodyOf(route)?.(reading);
  const { method, path } = placeOf(route, { app_id: reading.app });
  const signature = createHmac('sha256', mine.apiKey).update(reading.userId).digest('hex');
  // Each method of a route is one that supertest has a function for.
  const asked = request(gateway.server)
    [method as 'get'](body ? path : `${path}?user_id=${reading.userId}`)
    .set('X-Raven-User-Signature', signature);
  return body ? asked.send(body) : asked;
}

describe.each(routesOfFrontEnds)('%s', (route) => {
  /** Each of these readings is answered alike, with this status, and changes nothing of theirs. */
  async function expectAlike(readings: Partial<Reading>[], asked: keyof Reading, status: number) {
    const before = await rowsOf(theirs);
    const answers = [];
    for (const reading of readings) {
      const response = await callAsFrontEnd(route, reading);
      expect(response.status).toBe(status);
      answers.push(seen(response, reading[asked] ?? ''));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await rowsOf(theirs)).toEqual(before);
  }

  test('takes a call that is signed with the account’s own key for its own user', async () => {
    expect((await callAsFrontEnd(route)).status).toBe(200);
  });

  test('answers another account’s app as one that does not exist', async () => {
    const { appId: app, userId, messageId } = theirs;
    const ofTheirs = [{ app }, { app, userId }, { app, userId, messageId }];
    await expectAlike([...ofTheirs, { app: newId() }, { app: newId() }], 'app', 401);
  });

  test('answers another account’s user as one that nobody has', async () => {
    const { userId, messageId } = theirs;
    const status = bodyOf(route) ? 404 : 200;
    const nobody = { userId: newId(), messageId: newId() };
    await expectAlike([{ userId, messageId }, nobody], 'userId', status);
  });

  if (bodyOf(route)) {
    test('answers another account’s message as one that does not exist', async () => {
      const { messageId } = theirs;
      await expectAlike([{ messageId }, { messageId: newId() }], 'messageId', 404);
    });
  }
});

describe.each(routesOfProviders)('%s', (route) => {
  test('answers an integration whose secret is another one as one that does not exist', async () => {
    const { id } = await gateway.factories.createIntegration(theirs, {
      channel: 'email',
      provider: 'smtp',
    });
    const answers = [];
    for (const integrationId of [id, newId()]) {
      for (const secret of ['x'.repeat(43), newId()]) {
        const response = await call({ route, values: { integration_id: integrationId, secret } });
        answers.push(seen(response, integrationId));
      }
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.status).toBe(404);
  });
});

describe('what is not in the path', () => {
  type Row = {
    route: string;
    body?: (value: string) => object;
    theirs: () => string;
    nobodys: () => string;
    status: number;
  };
  const send = 'POST /v1/apps/:app_id/events/send';
  const bulk = 'POST /v1/apps/:app_id/events/bulk_send';
  const writeUser = 'POST /v1/apps/:app_id/users';
  const addDevice = 'POST /v1/apps/:app_id/users/:user_id/devices';
  const updateDevice = 'PUT /v1/apps/:app_id/users/:user_id/devices/:device_id';

  const event = { theirs: () => theirs.event, nobodys: () => `event_${newId()}`, status: 404 };
  const user = { theirs: () => theirs.userId, nobodys: () => newId(), status: 200 };
  const token = { theirs: () => theirs.token, nobodys: () => newId(), status: 200 };

  const rows: [string, Row][] = [
    ['event of a send', { route: send, body: (name) => ({ event: name }), ...event }],
    [
      'event of a bulk',
      { route: bulk, body: (name) => ({ event: name, batch: [{ user: {} }] }), ...event },
    ],
    [
      'user of a send',
      { route: send, body: (id) => ({ event: mine.event, user: { user_id: id } }), ...user },
    ],
    [
      'user of a bulk',
      {
        route: bulk,
        body: (id) => ({ event: mine.event, batch: [{ user: { user_id: id } }] }),
        ...user,
      },
    ],
    ['user that is written', { route: writeUser, body: (id) => ({ user_id: id }), ...user }],
    [
      'token of a device that is added',
      { route: addDevice, body: (fcm) => ({ fcm_token: fcm }), ...token },
    ],
    [
      'token of a device that is updated',
      { route: updateDevice, body: (fcm) => ({ fcm_token: fcm }), ...token },
    ],
    [
      'device_sid of a device that is added',
      {
        route: addDevice,
        body: (sid) => ({ device_sid: sid }),
        theirs: () => theirs.deviceSid,
        nobodys: () => newId(),
        status: 200,
      },
    ],
    [
      'id of a device that is added',
      {
        route: addDevice,
        body: (id) => ({ id }),
        theirs: () => theirs.clientId,
        nobodys: () => newId(),
        status: 200,
      },
    ],
  ];

  test.each(rows)(
    'another account’s %s is answered as one that nobody has',
    async (_what, { route, body, theirs: ofTheirs, nobodys, status }) => {
      const before = await rowsOf(theirs);
      const answers = [];
      for (const value of [ofTheirs(), nobodys()]) {
        const response = await call({ route, body: body?.(value) });
        expect(response.status).toBe(status);
        answers.push(withoutNew(seen(response, value)));
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(await rowsOf(theirs)).toEqual(before);
    },
  );

  test('another account’s Idempotency-Key is one that nobody has used', async () => {
    const before = await rowsOf(theirs);
    const answers = [];
    for (const idempotencyKey of [theirs.idempotencyKey, newId()]) {
      const response = await call({ route: send, idempotencyKey });
      answers.push(seen(response, idempotencyKey));
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.status).toBe(200);
    expect(await rowsOf(theirs)).toEqual(before);
  });
});
