import { randomInt } from 'node:crypto';
import { apiKeyPlace, itemTokenPlace } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { createApiKey } from '@belfry/shared';
import { channelVersion, type Tenant, testSecrets } from '@belfry/testing';
import request from 'supertest';
import {
  bodyByRoute,
  fillRoute,
  findRoute,
  frontEndRoutes,
  linkRoutes,
  listParameterNames,
  type PathValues,
  providerRoutes,
  pushStatusRoute,
  queryByRoute,
  routesWithRow,
} from './routes.fixture';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';
import { findWebhook } from './webhook-values.fixture';

const version = {
  email: channelVersion({ subject: 'Hi', text: 'Hello' }),
  slack: channelVersion({ text: 'Hello' }),
};
const sendRoute = 'POST /v1/apps/:app_id/events/send';
const botToken = 'xoxb-1234-5678-canarycanary';

let gateway: StoredGateway;
/** Refuses plain HTTP, except from a proxy that reports HTTPS. */
let strict: StoredGateway;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
  strict = await createStoredGateway({
    env: { ALLOW_HTTP: 'false', TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  tenant = gateway.tenant;
  event = (await gateway.factories.createEvent(tenant, version)).name;
  await findRequest(tenant.appId);
});
afterAll(() => Promise.all([gateway.close(), strict.close()]));

type Call = {
  route?: string;
  /** Undefined sends no header. */
  authorization?: string | undefined;
  app?: string;
  /** New ones by default, as an accepted call may remove the device. */
  values?: PathValues;
  body?: object;
  server?: StoredGateway['server'];
};

async function sendCall({ route = sendRoute, authorization, app = tenant.appId, ...call }: Call) {
  const { method, path } = fillRoute(route, call.values ?? (await createValues(route, app)));
  // supertest has a function for each method of a route.
  const apiRequest = request(call.server ?? gateway.server)[method as 'get'](path);
  void apiRequest.query(
    route === findRoute ? { idempotency_key: app } : (queryByRoute[route] ?? {}),
  );
  // Each call comes from another network, because unknown keys are limited by network.
  void apiRequest.set('X-Forwarded-For', `10.${[1, 2, 3].map(() => randomInt(1, 255)).join('.')}`);
  if (authorization !== undefined) void apiRequest.set('Authorization', authorization);
  if (call.server === strict.server) void apiRequest.set('X-Forwarded-Proto', 'https');
  const body = call.body ?? bodyByRoute[route]?.(event);
  return body === undefined ? apiRequest : apiRequest.send(body);
}

async function createValues(route: string, app: string): Promise<PathValues> {
  const values = { app_id: app, request_id: await findRequest(app) };
  if (route.includes('/webhooks/'))
    return { ...values, ...(await findWebhook(gateway, { ...tenant, appId: app })) };
  if (!listParameterNames(route).includes('user_id')) return values;
  const userId = newId();
  await gateway.call({ method: 'post', path: '/users', body: { user_id: userId }, app });
  const path = `/users/${userId}/devices`;
  const { body } = await gateway.call({ method: 'post', path, body: {}, app });
  return { ...values, user_id: userId, device_id: body.device_sid };
}

const requestIds = new Map<string, string>();

/** One request per app, with the app's id as its idempotency key, so that tests can count the requests that their calls create. */
async function findRequest(app: string): Promise<string> {
  const storedId = requestIds.get(app);
  if (storedId !== undefined) return storedId;
  const headers = { 'Idempotency-Key': app };
  const call = { method: 'post', path: '/events/send', body: { event }, app, headers } as const;
  const { body } = await gateway.call(call);
  requestIds.set(app, body.request_id);
  return body.request_id;
}

const good = () => `AuthKey ${tenant.apiKey}`;

function countRequests(): Promise<number> {
  return gateway.database.prisma.request.count({ where: { accountId: tenant.accountId } });
}

describe('specification 5, Authentication', () => {
  test.each(routesWithRow)(
    'Every request carries the header `Authorization` with the value `AuthKey <API_KEY>`: %s',
    async (route) => {
      expect((await sendCall({ route, authorization: good() })).status).toBe(200);
    },
  );

  test('The API key belongs to the account and is valid for every app in it.', async () => {
    const app = newId();
    const { accountId, apiKey } = tenant;
    await gateway.database.prisma.app.create({
      data: { id: app, accountId, name: 'second', delivery: 'sandbox' },
    });
    await gateway.factories.createEvent({ ...tenant, appId: app }, version, { name: event });
    for (const route of routesWithRow) {
      expect([route, (await sendCall({ route, app, authorization: good() })).status]).toEqual([
        route,
        200,
      ]);
    }
    const stranger = await gateway.factories.createTenant();
    const theirs = await sendCall({ app, authorization: `AuthKey ${stranger.apiKey}` });
    expect([theirs.status, theirs.body.code]).toEqual([404, 'app_not_found']);
    expect(stranger.apiKey).not.toBe(apiKey);
  });

  test('It is shown in the dashboard under account details: it is stored sealed, so that it can be shown again.', async () => {
    const stored = await gateway.database.prisma.apiKey.findUniqueOrThrow({
      where: { id: tenant.apiKeyId },
    });
    expect(testSecrets().open(stored.sealed, apiKeyPlace(stored.id))).toBe(tenant.apiKey);
    expect(JSON.stringify(stored)).not.toContain(tenant.apiKey);
  });

  test.each(routesWithRow)('All requests are made over HTTPS: %s', async (route) => {
    const { server } = strict;
    expect((await sendCall({ route, server, authorization: good() })).status).toBe(200);
  });

  const allRoutes = [...routesWithRow, ...frontEndRoutes, ...providerRoutes, ...linkRoutes];
  test.each(allRoutes)('Calls over plain HTTP fail: %s', async (route) => {
    const { method, path } = fillRoute(route, {
      app_id: tenant.appId,
      user_id: 'u',
      device_id: 'd',
    });
    const { status, headers, body } = await request(strict.server)
      [method as 'get'](path)
      .set('Authorization', good());
    expect([status, body.code]).toEqual([403, 'https_required']);
    // A redirect to HTTPS would hide that the key was already sent in clear text.
    expect(headers['location']).toBeUndefined();
  });

  // A browser reports the status of a push without a key, see open-push.int.test.ts.
  const routesWithKey = routesWithRow.filter((route) => route !== pushStatusRoute);

  test.each(routesWithKey)('Requests without authentication fail: %s', async (route) => {
    const before = await countRequests();
    const values = await createValues(route, tenant.appId);
    const bad = [
      undefined,
      '',
      'AuthKey',
      tenant.apiKey,
      `Bearer ${tenant.apiKey}`,
      `AuthKey ${createApiKey().key}`,
      `AuthKey ${tenant.apiKey.slice(0, -1)}`,
    ];
    for (const authorization of bad) {
      const { status, headers, body } = await sendCall({ route, authorization, values });
      expect([authorization, status, body.code]).toEqual([authorization, 401, 'unauthenticated']);
      expect(headers['www-authenticate']).toBe('AuthKey');
    }
    expect(await countRequests()).toBe(before);
  });

  test.each(routesWithKey)(
    'The key must not be placed in public or client-side code: browsers cannot read responses, and a key in a URL is not accepted: %s',
    async (route) => {
      const values = { app_id: tenant.appId, user_id: 'u', device_id: 'd' };
      const { method, path } = fillRoute(route, values);
      const { server } = gateway;
      const preflight = await request(server)
        .options(path)
        .set('Origin', 'https://a.example')
        .set('Access-Control-Request-Method', method.toUpperCase())
        .set('Access-Control-Request-Headers', 'authorization');
      const answer = await request(server)
        [method as 'get'](path)
        .query(queryByRoute[route] ?? {})
        .set('Origin', 'https://a.example')
        .set('Authorization', good());
      for (const { headers } of [preflight, answer]) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual(
          [],
        );
      }
      const names = ['authorization', 'Authorization', 'api_key', 'key', 'AuthKey'];
      const query = Object.fromEntries(names.map((name) => [name, tenant.apiKey]));
      const inUrl = await request(server)[method as 'get'](path).query(query);
      expect(inUrl.status).toBe(401);
      expect(`${preflight.text}${answer.text}${inUrl.text}`).not.toContain(tenant.apiKey);
    },
  );

  const slackBody = () => ({
    event,
    user: { slack: { access_token: botToken, channel_id: 'C012345678' } },
  });

  test('In the Slack case the request body additionally carries the bot token in `user.slack.access_token`.', async () => {
    const { status, body } = await sendCall({ authorization: good(), body: slackBody() });
    expect(status).toBe(200);
    const requestId = body.request_id;
    const messages = await gateway.database.prisma.message.findMany({ where: { requestId } });
    expect(messages.map(({ channel }) => channel)).toEqual(['slack']);
    const item = await gateway.database.prisma.requestItem.findFirstOrThrow({
      where: { requestId },
    });
    expect(item.recipient).not.toContain(botToken);
    const sealed = JSON.parse(item.recipient ?? '').slack.access_token;
    expect(testSecrets().open(sealed, itemTokenPlace(requestId, 0))).toBe(botToken);
  });

  test('That token is a channel credential, not a replacement for the API key.', async () => {
    const before = await countRequests();
    for (const authorization of [undefined, `AuthKey ${botToken}`, `Bearer ${botToken}`]) {
      const { status, body } = await sendCall({ authorization, body: slackBody() });
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
    }
    expect(await countRequests()).toBe(before);
  });
});
