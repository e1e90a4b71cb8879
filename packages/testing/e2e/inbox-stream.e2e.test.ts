import {
  channelVersion,
  createTcpProxy,
  eventually,
  isFullRun,
  type ReaderSecret,
  type System,
  signReaderToken,
  startSystem,
  type TcpProxy,
  type Tenant,
  type TestProcess,
  testRedis,
} from '@belfry/testing';
import { EventSource } from 'eventsource';
import { createEventSource } from 'eventsource-client';
import { type CompressingProxy, startCompressingProxy } from './compressing-proxy';

jest.setTimeout(180_000);

const itemCount = isFullRun() ? 1_000 : 300;
let redis: TcpProxy;
let system: System;
let tenant: Tenant;
let secret: ReaderSecret;
let event: string;
const proxies: CompressingProxy[] = [];

beforeAll(async () => {
  redis = await createTcpProxy(testRedis().url);
  system = await startSystem({ redisUrl: redis.url });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  secret = await system.factories.createInboxSecret(tenant);
  const version = { in_app: channelVersion({ title: '{{number}}' }) };
  event = (await system.factories.createEvent(tenant, version)).name;
});

afterAll(async () => {
  await Promise.all(proxies.map(({ close }) => close()));
  await system.stop();
  await redis.close();
});

async function startProxy(
  honorsNoTransform: boolean,
  targets: string[],
): Promise<CompressingProxy> {
  const proxy = await startCompressingProxy({ honorsNoTransform });
  proxies.push(proxy);
  proxy.setTargets(targets);
  return proxy;
}

async function startGateway(): Promise<{ process: TestProcess; url: string }> {
  const process = await system.startGateway();
  return { process, url: String((await process.waitForLine('api.ready'))['url']) };
}

function sign(userId: string): string {
  return signReaderToken(secret, { appId: tenant.appId, userId });
}

function buildUrl(base: string, call: string): string {
  return `${base}/v1/apps/${tenant.appId}/in_app_notifications/${call}`;
}

type Received = { numbers: number[]; hasBegun(): boolean; close(): void };

/** Titles of the items are their numbers. */
function readNumber(data: string): number {
  return Number(JSON.parse(data).message_body.title);
}

/** The `EventSource` of browsers, with a token in a header. */
function openEventSource(base: string, userId: string): Received {
  const numbers: number[] = [];
  let hasBegun = false;
  const source = new EventSource(buildUrl(base, 'stream'), {
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${sign(userId)}` },
      }),
  });
  source.addEventListener('item', ({ data }) => numbers.push(readNumber(data)));
  source.addEventListener('counts', () => {
    hasBegun = true;
  });
  return { numbers, hasBegun: () => hasBegun, close: () => source.close() };
}

function openSourceClient(base: string, userId: string): Received {
  const numbers: number[] = [];
  let hasBegun = false;
  const client = createEventSource({
    url: buildUrl(base, 'stream'),
    headers: { Authorization: `Bearer ${sign(userId)}` },
    onMessage({ event: name, data }) {
      if (name === 'counts') hasBegun = true;
      if (name === 'item') numbers.push(readNumber(data));
    },
  });
  return { numbers, hasBegun: () => hasBegun, close: () => client.close() };
}

const concurrency = 10;

/** Sends events with these numbers. The first gateway takes them, whatever happens to the others. */
async function sendNumbers(userId: string, numbers: number[]): Promise<void> {
  const waiting = [...numbers];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
        await system.sendAccepted(tenant, { event, user: { user_id: userId }, data: { number } });
      }
    }),
  );
}

function listNumbers(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

async function expectEach(received: Received[], numbers: number[]): Promise<void> {
  await eventually(
    () => {
      for (const { numbers: own } of received)
        expect(own.length).toBeGreaterThanOrEqual(numbers.length);
    },
    { timeoutMs: 90_000 },
  );
  for (const { numbers: own } of received) expect([...own].sort((a, b) => a - b)).toEqual(numbers);
}

test.each([
  ['compresses every response', false],
  ['honors no-transform', true],
])(
  `eventsource and eventsource-client get ${itemCount} items once, behind a proxy that %s, while one of two gateways is killed`,
  async (_title, honorsNoTransform) => {
    const userId = `reader-${honorsNoTransform}`;
    const doomed = await startGateway();
    const proxy = await startProxy(honorsNoTransform, [doomed.url, system.apiUrl]);
    const received = [openEventSource(proxy.url, userId), openSourceClient(proxy.url, userId)];
    await eventually(() => expect(received.map((each) => each.hasBegun())).toEqual([true, true]));
    const numbers = listNumbers(1, itemCount);
    const sending = sendNumbers(userId, numbers);
    await eventually(() => expect(received[0]?.numbers.length).toBeGreaterThan(itemCount / 5), {
      timeoutMs: 60_000,
    });
    await doomed.process.stop('SIGKILL');
    expect(received[0]?.numbers.length).toBeLessThan(itemCount);
    await sending;
    await expectEach(received, numbers);
    for (const { close } of received) close();
    expect(proxy.countCompressed() > 0).toBe(!honorsNoTransform);
  },
);

test('a gateway that shuts down ends its streams at once, and their clients continue at another one', async () => {
  const userId = 'reader-drained';
  const leaving = await startGateway();
  const proxy = await startProxy(true, [leaving.url, system.apiUrl]);
  const received = openEventSource(proxy.url, userId);
  await eventually(() => expect(received.hasBegun()).toBe(true));
  await sendNumbers(userId, [1]);
  await expectEach([received], [1]);
  const beganAtMs = performance.now();
  expect(await leaving.process.stop('SIGTERM')).toBe(0);
  expect(performance.now() - beganAtMs).toBeLessThan(5_000);
  await sendNumbers(userId, [2]);
  await expectEach([received], [1, 2]);
  received.close();
});

test('a stream continues through an outage of Redis', async () => {
  const userId = 'reader-without-redis';
  const received = openEventSource(system.apiUrl, userId);
  await eventually(() => expect(received.hasBegun()).toBe(true));
  const outage = redis.degrade('black_hole');
  try {
    // The messages wait for the relay, which needs Redis; these items come without a message in Redis.
    await system.database.lookUps.query(
      `INSERT INTO inbox_item (id, app_id, user_id, message_id, content)
       SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), jsonb_build_object('title', number)
       FROM generate_series(1, 20) number`,
      [tenant.appId, userId],
    );
    await expectEach([received], listNumbers(1, 20));
  } finally {
    outage.restore();
  }
  await sendNumbers(userId, [21]);
  await expectEach([received], listNumbers(1, 21));
  received.close();
});

test('no log contains a ticket or a token', async () => {
  const userId = 'reader-with-ticket';
  const token = sign(userId);
  const response = await fetch(buildUrl(system.apiUrl, 'stream_ticket'), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  const { ticket } = (await response.json()) as { ticket: string };
  const source = new EventSource(`${buildUrl(system.apiUrl, 'stream')}?ticket=${ticket}`);
  await new Promise((resolve) => source.addEventListener('counts', resolve, { once: true }));
  source.close();
  await eventually(() => {
    const lines = system.api.lines.filter(({ message }) => message === 'call');
    expect(lines.some(({ route }) => String(route).endsWith('/stream'))).toBe(true);
  });
  const output = system.api.output.join('\n');
  for (const text of [ticket, token, userId]) expect(output).not.toContain(text);
});
