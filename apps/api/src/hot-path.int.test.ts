import type { IncomingMessage } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createPublishCapacity } from '@belfry/pipeline/relay';
import { newId } from '@belfry/runtime';
import {
  type CommandCounter,
  channelVersion,
  createCommandCounter,
  createStatementCounter,
  eventually,
  type StatementCounter,
  testDatabase,
  testRedis,
} from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

const calls = 120;
/** For the replies of Redis to reach all calls; a machine that needs longer makes a few more flushes. */
const repliesMs = 500;

let statements: StatementCounter;
let commands: CommandCounter;
let gateway: StoredGateway;
let event: string;

beforeAll(async () => {
  statements = await createStatementCounter((await testDatabase()).url);
  commands = await createCommandCounter(testRedis().url);
  gateway = await createStoredGateway({
    env: { DATABASE_URL: statements.url, REDIS_URL: commands.url, LOOKUP_CACHE_MS: '5000' },
  });
  const sms = channelVersion({ text: 'Hi {{name}}' });
  event = (await gateway.factories.createEvent(gateway.tenant, { sms })).name;
  const deps = { redis: gateway.redis, prefix: gateway.redisPrefix };
  const capacity = { id: newId(), channelCapacity: 10_000, appCapacity: 10_000, channels: {} };
  await createPublishCapacity(deps, 300_000)(capacity);
  // The first call fills the caches and prepares the statements. The capacity is known by then, too.
  await eventually(async () => {
    await send();
    expect(await jobsInRedis()).toBeGreaterThan(0);
  });
}, 120_000);

afterAll(async () => {
  await gateway.close();
  await statements.close();
  await commands.close();
});

async function send(user: object = { mobile: '+12025550123' }): Promise<void> {
  const body = { event, user, data: { name: 'Ana' } };
  const headers = { 'Idempotency-Key': newId() };
  const answer = await gateway.call({ method: 'post', path: '/events/send', body, headers });
  expect(answer.status).toBe(200);
}

/**
 * Sends at the same time: Redis does not answer before all calls have arrived, and PostgreSQL not before Redis has
 * answered, however slow the machine is.
 */
async function sendTogether(pickUser?: (index: number) => object): Promise<void> {
  let arrived = 0;
  const count = (request: IncomingMessage) =>
    request.once('end', () => {
      arrived += 1;
    });
  gateway.server.on('request', count);
  commands.hold();
  const answers = Promise.all(Array.from({ length: calls }, (_, index) => send(pickUser?.(index))));
  await eventually(async () => expect(arrived).toBe(calls));
  // The last call is read, but may not wait for Redis yet.
  for (let iteration = 0; iteration < 100; iteration += 1) await setImmediate();
  gateway.server.off('request', count);
  statements.hold();
  commands.release();
  await setTimeout(repliesMs);
  statements.release();
  await answers;
}

function jobsInRedis(): Promise<number> {
  return gateway.redis.llen(`${gateway.redisPrefix}:deliver-sms:wait`);
}

describe('concurrent sends with idempotency keys', () => {
  test('share statements, idempotency scripts and job scripts (counted, not timed)', async () => {
    const jobsBefore = await jobsInRedis();
    let queries: string[] = [];
    const { commands: sent } = await commands.during(async () => {
      queries = await statements.during(sendTogether);
      // Work after the responses.
      await eventually(async () => expect(await jobsInRedis()).toBeGreaterThan(jobsBefore));
    });
    const writes = queries.filter((text) => text.includes('INSERT INTO request'));
    // Separately each call would take one statement and three scripts: begin, finish and the job. The next flush takes what
    // came during the last one.
    expect(writes.length).toBeLessThanOrEqual(calls / 10);
    expect(queries.length - writes.length).toBeLessThanOrEqual(calls / 10);
    expect(sent.filter((name) => name === 'EVALSHA').length).toBeLessThanOrEqual(calls / 3);
    expect((await jobsInRedis()) - jobsBefore).toBeLessThanOrEqual(calls / 5);
  });

  test('share the look-up of stored users', async () => {
    const queries = await statements.during(() =>
      sendTogether((index) => ({ user_id: `person-${index}` })),
    );
    const lookUps = queries.filter((text) => text.includes('FROM app_user'));
    expect(lookUps.length).toBeGreaterThan(0);
    expect(lookUps.length).toBeLessThanOrEqual(calls / 10);
  });

  test('a single send takes one statement, the idempotency scripts and one job script', async () => {
    let queries: string[] = [];
    // Refill the caches.
    await send();
    const { commands: sent } = await commands.during(async () => {
      queries = await statements.during(() => send());
    });
    expect(queries.filter((text) => text.includes('INSERT INTO request'))).toHaveLength(1);
    expect(queries.length).toBeLessThanOrEqual(2);
    expect(sent.filter((name) => name === 'EVALSHA').length).toBeLessThanOrEqual(3);
  });
});
