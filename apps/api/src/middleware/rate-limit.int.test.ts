import { createHmac } from 'node:crypto';
import { createLogger, createRedis, newId, waitForRedis } from '@belfry/runtime';
import { eventually, testRedis } from '@belfry/testing';
import request from 'supertest';
import { appId, createGateway, sendPath } from '../gateway.fixture';
import { createLimitRate } from './before-body';

const log = createLogger({ level: 'error', process: 'test' });
const { url, prefix } = testRedis();
let redis: ReturnType<typeof createRedis>;

beforeAll(async () => {
  redis = createRedis({ url, log });
  await waitForRedis(redis, 5_000);
});

afterAll(() => redis.disconnect());

function start(callsPerSecond: number) {
  let bypassed = 0;
  const onBypass = () => {
    bypassed += 1;
  };
  const redisPrefix = `${prefix}-${newId()}`;
  const limitRate = createLimitRate({ callsPerSecond, redis, redisPrefix, onBypass });
  const gateway = createGateway({ limitRate });
  const send = (headers: Record<string, string> = {}, body = '{"event":"e"}') =>
    request(gateway.server)
      .post(sendPath)
      .set({ Authorization: gateway.auth, 'Content-Type': 'application/json', ...headers })
      .send(body);
  return { gateway, send, bypassed: () => bypassed };
}

describe('the rate limit of an account', () => {
  test('allows the configured number of calls and reports how many remain', async () => {
    const { send } = start(1_000);
    const first = await send();
    const second = await send();
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"account";q=1000;w=1',
      ratelimit: '"account";r=999;t=1',
    });
  });

  test('refuses further calls with 429 and Retry-After, and passes nothing on', async () => {
    const { send, gateway } = start(1);
    // The window may end between two calls, but not between six.
    const answers = await Promise.all(Array.from({ length: 6 }, () => send()));
    const refusals = answers.filter(({ status }) => status === 429);
    expect(refusals.length).toBeGreaterThanOrEqual(4);
    expect(refusals[0]?.body).toMatchObject({ success: false, code: 'rate_limited' });
    expect(refusals[0]?.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"account";q=1;w=1',
      ratelimit: '"account";r=0;t=1',
    });
    expect(gateway.sent).toHaveLength(answers.length - refusals.length);
    await eventually(async () => expect((await send()).status).toBe(200));
  });

  test.each<[string, Record<string, string>, number]>([
    ['the key', { Authorization: 'AuthKey x' }, 401],
    ['the content type', { 'Content-Type': 'text/plain' }, 415],
    ['the syntax of the idempotency key', { 'Idempotency-Key': '' }, 400],
  ])('is checked after %s, which does not count', async (_, headers, status) => {
    const { send } = start(1);
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(headers)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
  });

  test('is separate for front ends, whose responses any origin can still read', async () => {
    const { gateway, send } = start(1);
    const path = `/v1/apps/${appId}/in_app_notifications/unread_count?user_id=ana`;
    const signature = createHmac('sha256', gateway.key).update('ana').digest('hex');
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        request(gateway.server).get(path).set('X-Raven-User-Signature', signature),
      ),
    );
    const refusal = answers.find(({ status }) => status === 429);
    expect(refusal?.headers).toMatchObject({
      'access-control-allow-origin': '*',
      ratelimit: '"account";r=0;t=1',
    });
    expect((await send()).status).toBe(200);
  });

  test('is checked before the body is read', async () => {
    const { send } = start(1);
    const answers = await Promise.all(Array.from({ length: 6 }, () => send({}, '{"event":')));
    expect(answers.map(({ status }) => status)).toContain(429);
  });

  test('is off without Redis: every call passes without the headers and is counted as a bypass', async () => {
    const away = createRedis({ url: 'redis://127.0.0.1:1', log });
    let bypassed = 0;
    const onBypass = () => {
      bypassed += 1;
    };
    const options = { callsPerSecond: 1, redis: away, redisPrefix: prefix, onBypass };
    const gateway = createGateway({ limitRate: createLimitRate(options) });
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        request(gateway.server)
          .post(sendPath)
          .set('Authorization', gateway.auth)
          .send({ event: 'e' }),
      ),
    );
    away.disconnect();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0]?.headers['ratelimit']).toBeUndefined();
    expect(bypassed).toBe(3);
  });

  test('is off and sends no headers if it is 0', async () => {
    const { send, bypassed } = start(0);
    const answers = await Promise.all(Array.from({ length: 4 }, () => send()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[0]?.headers['ratelimit']).toBeUndefined();
    expect(bypassed()).toBe(0);
  });
});
