import { createHmac } from 'node:crypto';
import { newId } from '@belfry/runtime';
import { createApiKey } from '@belfry/shared';
import {
  channelVersion,
  createStatementCounter,
  eventually,
  type StatementCounter,
  testDatabase,
} from '@belfry/testing';
import request from 'supertest';
import { signatureHeader } from './middleware/authenticate-reader';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

let statements: StatementCounter;
let gateway: StoredGateway;
let event: string;

beforeAll(async () => {
  statements = await createStatementCounter((await testDatabase()).url);
  gateway = await createStoredGateway({
    env: { DATABASE_URL: statements.url, LOOKUP_CACHE_MS: '5000', TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  const version = { sms: channelVersion({ text: 'Hi' }) };
  event = (await gateway.factories.createEvent(gateway.tenant, version)).name;
}, 60_000);

afterAll(async () => {
  await gateway.close();
  await statements.close();
});

/** Sends as a proxy that forwards the address of its caller. */
async function send(apiKey: string, caller: string, app?: string) {
  const answer = await gateway.call({
    ...{ method: 'post', path: '/events/send', body: { event, user: {} }, apiKey },
    headers: { 'X-Forwarded-For': caller },
    ...(app === undefined ? {} : { app }),
  });
  return { status: answer.status, code: answer.body.code, headers: answer.headers };
}

const unknownKey = () => createApiKey().key;

async function requestInbox(app: string, caller: string, apiKey = gateway.tenant.apiKey) {
  const path = `/v1/apps/${app}/in_app_notifications/unread_count?user_id=u`;
  const signature = createHmac('sha256', apiKey).update('u').digest('hex');
  const headers = { 'X-Forwarded-For': caller, [signatureHeader]: signature };
  return (await request(gateway.server).get(path).set(headers)).status;
}

describe('a network that sends unknown API keys', () => {
  test('gets 401, then 429 without a look-up of the key', async () => {
    const statuses: number[] = [];
    const queries = await statements.during(async () => {
      for (let time = 0; time < 60; time += 1) {
        statuses.push((await send(unknownKey(), '203.0.113.1')).status);
      }
    });
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    // One or two tokens were refilled meanwhile.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20);
    const lookUps = queries.filter((text) => /FROM api_key WHERE id/.test(text));
    expect(lookUps).toHaveLength(statuses.filter((status) => status === 401).length);
    const response = await send(unknownKey(), '203.0.113.1');
    expect(response).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('never blocks a valid key of the same network, cached or not', async () => {
    const caller = '203.0.113.2';
    const otherTenant = await gateway.factories.createTenant();
    const version = { sms: channelVersion({ text: 'Hi' }) };
    await gateway.factories.createEvent(otherTenant, version, { name: event });
    for (let time = 0; time < 30; time += 1) await send(unknownKey(), caller);
    expect((await send(gateway.tenant.apiKey, caller)).status).toBe(200);
    // The list of keys is read once a second, so a new key may have to wait for it.
    await eventually(async () =>
      expect((await send(otherTenant.apiKey, caller, otherTenant.appId)).status).toBe(200),
    );
  });

  test('is limited separately from others, by the /64 prefix for IPv6', async () => {
    // No token is refilled meanwhile.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    for (let time = 0; time < 40; time += 1) await send(unknownKey(), `2001:db8:1:2::${time + 1}`);
    expect((await send(unknownKey(), '2001:db8:1:2::ffff')).status).toBe(429);
    expect((await send(unknownKey(), '2001:db8:1:3::1')).status).toBe(401);
    clock.mockRestore();
  });

  test('gets 401 for every repeat of one wrong key, with a single query', async () => {
    const key = unknownKey();
    const queries = await statements.during(async () => {
      for (let time = 0; time < 40; time += 1) {
        expect((await send(key, '203.0.113.3')).status).toBe(401);
      }
    });
    expect(queries.filter((text) => text.includes('FROM api_key'))).toHaveLength(1);
  });
});

describe('a network that sends unknown app IDs without a key', () => {
  test('gets 429 as well, and never blocks the inbox of an existing app', async () => {
    const otherTenant = await gateway.factories.createTenant();
    const statuses: number[] = [];
    for (let time = 0; time < 40; time += 1) {
      statuses.push(await requestInbox(newId(), '203.0.113.4'));
    }
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(statuses).toContain(429);
    await eventually(async () =>
      expect(await requestInbox(otherTenant.appId, '203.0.113.4', otherTenant.apiKey)).toBe(200),
    );
  });
});
