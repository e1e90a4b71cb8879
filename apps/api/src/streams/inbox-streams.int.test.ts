import {
  createNameReader,
  createWakeReader,
  formatEventId,
  type WakeReader,
} from '@belfry/pipeline/operate';
import {
  eventually,
  findClosedPort,
  type ReaderSecret,
  type Tenant,
  testSecrets,
} from '@belfry/testing';
import request from 'supertest';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { createSignedReader, type Followed, follow, type SignedReader } from './follow.fixture';

jest.setTimeout(60_000);

let gateway: StoredGateway;
/** On the same stores, without Redis. */
let polling: StoredGateway;
let tenant: Tenant;
let secret: ReaderSecret;
let wakeReader: WakeReader;
const open: Followed[] = [];

// Tests that wait for a poll or a heartbeat run concurrently with all others.

beforeAll(async () => {
  gateway = await createStoredGateway();
  polling = await createStoredGateway({
    env: { REDIS_URL: `redis://127.0.0.1:${await findClosedPort()}` },
  });
  tenant = gateway.tenant;
  secret = await gateway.factories.createInboxSecret(tenant);
  wakeReader = createWakeReader({
    ...{ redis: gateway.redis, prefix: gateway.redisPrefix },
    nameReader: createNameReader(testSecrets()),
  });
});

afterAll(async () => {
  for (const followed of open) followed.close();
  await Promise.all([gateway.close(), polling.close()]);
});

function createReader(name?: string, at = gateway): SignedReader {
  return createSignedReader(at, tenant.appId, { secret, ...(name && { name }) });
}

async function followFrom(reader: SignedReader, lastEventId?: string): Promise<Followed> {
  const query = lastEventId === undefined ? {} : { last_event_id: lastEventId };
  const followed = await reader.follow({ query });
  open.push(followed);
  return followed;
}

/** Adds an item as a worker does, in another process: the gateway learns of it through Redis. */
async function deliver(reader: SignedReader, title?: string): Promise<string> {
  const messageId = await reader.addItem(title);
  wakeReader(reader);
  return messageId;
}

describe('a stream', () => {
  test('begins with the wait before a reconnect and the counts, and no proxy may change or keep it', async () => {
    const reader = createReader();
    await reader.addItem();
    const stream = await followFrom(reader);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    });
    expect(await stream.waitForEvents(1)).toEqual([
      { event: 'counts', id: expect.any(String), data: { unseen: 1, unread: 1 } },
    ]);
    const retryMs = Number(/^retry: (\d+)\n\n/.exec(stream.readText())?.[1]);
    expect(retryMs).toBeGreaterThanOrEqual(1_000);
    expect(retryMs).toBeLessThanOrEqual(3_000);
  });

  test('shows a new item, changes of its states and the counts to all streams of its user, and to nobody else', async () => {
    const reader = createReader();
    const [one, two, stranger] = [
      await followFrom(reader),
      await followFrom(reader),
      createReader(),
    ];
    const others = await followFrom(stranger);
    await Promise.all([one, two, others].map(({ waitForEvents }) => waitForEvents(1)));
    const messageId = await deliver(reader);
    await Promise.all([one, two].map(({ waitForEvents }) => waitForEvents(3)));
    await reader.call('PUT', `items/${messageId}`, { read: true });
    const states = { status: 'READ', seen_at: expect.any(Number), read_at: expect.any(Number) };
    for (const { waitForEvents } of [one, two]) {
      expect((await waitForEvents(5)).slice(1)).toMatchObject([
        { event: 'item', data: { message_id: messageId, status: 'UNREAD', message_body: {} } },
        { event: 'counts', data: { unseen: 1, unread: 1 } },
        { event: 'state', data: { message_id: messageId, archived_at: null, ...states } },
        { event: 'counts', data: { unseen: 0, unread: 0 } },
      ]);
    }
    expect(others.events).toHaveLength(1);
  });

  test('shows the changes that today’s front ends make', async () => {
    const reader = createReader();
    const messageId = await reader.addItem();
    const stream = await followFrom(reader);
    await stream.waitForEvents(1);
    const body = { user_id: reader.userId, message_id: messageId };
    expect((await reader.call('PUT', 'update', { ...body, status: 'ARCHIVE' })).status).toBe(200);
    expect((await stream.waitForEvents(3))[1]).toMatchObject({
      event: 'state',
      data: { status: 'ARCHIVE', archived_at: expect.any(Number) },
    });
  });

  test('continues after its last event without a gap and without a repetition, also at another gateway', async () => {
    const reader = createReader();
    const first = await followFrom(reader);
    const [begin] = await first.waitForEvents(1);
    first.close();
    const ids: string[] = [];
    for (let number = 1; number <= 120; number += 1) ids.push(await reader.addItem(`${number}`));
    const [changed = ''] = ids;
    await reader.call('PUT', `items/${changed}`, { read: true });
    const whole = await followFrom(reader, begin?.id);
    const events = await whole.waitForEvents(121);
    expect(events.slice(0, -1).map(({ data }) => data['message_id'])).toEqual(ids);
    expect(events.at(-1)).toMatchObject({ event: 'counts', data: { unseen: 119, unread: 119 } });
    const rest = await follow(polling, tenant.appId, {
      query: { last_event_id: String(events[59]?.id) },
      headers: { Authorization: `Bearer ${reader.token}` },
    });
    open.push(rest);
    const remaining = await rest.waitForEvents(61);
    expect(remaining.slice(0, -1).map(({ data }) => data['message_id'])).toEqual(ids.slice(60));
  });

  test('continues after a page: `stream` of the page is its event ID', async () => {
    const reader = createReader();
    await reader.addItem('on the page');
    const { body } = await reader.call('GET', 'items');
    expect(body.items).toHaveLength(1);
    const messageId = await reader.addItem('after the page');
    const stream = await followFrom(reader, body.stream);
    expect(await stream.waitForEvents(2)).toMatchObject([
      { event: 'item', data: { message_id: messageId } },
      { event: 'counts', data: { unseen: 2, unread: 2 } },
    ]);
  });

  test('takes the ID in the header before the one in the URL', async () => {
    const reader = createReader();
    const { body: before } = await reader.call('GET', 'items');
    await reader.addItem();
    const { body: after } = await reader.call('GET', 'items');
    const stream = await reader.follow({
      query: { last_event_id: before.stream },
      headers: { 'Last-Event-ID': after.stream },
    });
    open.push(stream);
    expect((await stream.waitForEvents(1)).map(({ event }) => event)).toEqual(['counts']);
  });

  const dayMs = 24 * 60 * 60_000;

  test.each<[string, (reader: SignedReader) => Promise<string> | string]>([
    ['garbage', () => 'garbage'],
    [
      'an ID of another reader',
      async () => (await createReader('other').call('GET', 'items')).body.stream,
    ],
    [
      'an ID that is older than 24 hours',
      (reader) => formatEventId(reader, { arrived: 0, changed: 0 }, Date.now() - dayMs - 1_000),
    ],
    [
      'an ID from the future, as after an erasure',
      (reader) => formatEventId(reader, { arrived: 9e12, changed: 9e12 }, Date.now()),
    ],
  ])('after %s begins with a reset and continues from now', async (_title, createId) => {
    const reader = createReader();
    await reader.addItem();
    const stream = await followFrom(reader, await createId(reader));
    const events = await stream.waitForEvents(2);
    expect(events).toMatchObject([
      { event: 'reset', data: {} },
      { event: 'counts', data: { unseen: 1, unread: 1 } },
    ]);
    const messageId = await deliver(reader);
    expect((await stream.waitForEvents(3))[2]).toMatchObject({ data: { message_id: messageId } });
  });

  test('is not opened by HEAD', async () => {
    // Other tests open no streams there.
    const idle = await createStoredGateway();
    try {
      const { userId, token } = createReader();
      const path = `/v1/apps/${tenant.appId}/in_app_notifications/stream`;
      const answer = await request(idle.server)
        .head(`${path}?user_id=${userId}`)
        .set('Authorization', `Bearer ${token}`);
      expect(answer.status).toBe(200);
      expect(await idle.readMetrics()).toMatch(/^belfry_inbox_streams 0$/m);
    } finally {
      await idle.close();
    }
  });
});

describe('without Redis', () => {
  test.concurrent('a stream gets its items by polling', async () => {
    const reader = createReader('polled', polling);
    const stream = await followFrom(reader);
    await stream.waitForEvents(1);
    const messageId = await reader.addItem();
    expect((await stream.waitForEvents(3, 15_000))[1]).toMatchObject({
      event: 'item',
      data: { message_id: messageId },
    });
    const { body } = await reader.call('PUT', `items/${messageId}`, { archived: true });
    expect(body.status).toBe('ARCHIVE');
    expect((await stream.waitForEvents(5, 15_000))[3]).toMatchObject({ event: 'state' });
  });

  test.concurrent('a lost message delays an item until the next poll', async () => {
    const reader = createReader();
    const stream = await followFrom(reader);
    await stream.waitForEvents(1);
    const messageId = await reader.addItem();
    expect((await stream.waitForEvents(3, 15_000))[1]?.data).toMatchObject({
      message_id: messageId,
    });
  });
});

describe('too many streams', () => {
  test('of one user are refused with 429 and a wait, until one is closed', async () => {
    const reader = createReader();
    const streams = await Promise.all(Array.from({ length: 10 }, () => followFrom(reader)));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await followFrom(reader);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    await eventually(() => expect(JSON.parse(refused.readText()).code).toBe('too_many_streams'));
    expect((await followFrom(createReader())).status).toBe(200);
    streams[0]?.close();
    await eventually(async () => expect((await followFrom(reader)).status).toBe(200));
  });

  test('of one app, or of all, are refused, too', async () => {
    const small = await createStoredGateway({ env: { MAX_INBOX_STREAMS: '4' } });
    try {
      const tenants = [small.tenant, await small.factories.createTenant()];
      const secrets = await Promise.all(tenants.map(small.factories.createInboxSecret));
      const openOne = async (index: number) => {
        const appId = tenants[index]?.appId ?? '';
        const reader = createSignedReader(small, appId, { secret: secrets[index]! });
        const stream = await reader.follow();
        open.push(stream);
        return stream.status;
      };
      const statuses: number[] = [];
      for (const index of [0, 0, 0, 1, 1, 1]) statuses.push(await openOne(index));
      expect(statuses).toEqual([200, 200, 429, 200, 200, 429]);
    } finally {
      await small.close();
    }
  });
});

test('streams end at once when the gateway closes, with a wait before the reconnect, and new ones are refused', async () => {
  const closing = await createStoredGateway();
  try {
    const closingSecret = await closing.factories.createInboxSecret(closing.tenant);
    const reader = createSignedReader(closing, closing.tenant.appId, { secret: closingSecret });
    const stream = await reader.follow();
    await stream.waitForEvents(1);
    await closing.closeStreams();
    await eventually(() => expect(stream.isEnded()).toBe(true));
    expect(stream.readText()).toMatch(/event: counts\n.*\n\nretry: \d+\n\n$/s);
    expect((await reader.follow()).status).toBe(503);
  } finally {
    await closing.close();
  }
});

test.concurrent('a stream has a heartbeat, and ends when its credential is revoked', async () => {
  const own = await gateway.factories.createTenant();
  const ownSecret = await gateway.factories.createInboxSecret(own);
  const other = await gateway.factories.createInboxSecret(own);
  const [revoked, kept] = await Promise.all(
    [ownSecret, other].map((each) =>
      createSignedReader(gateway, own.appId, { secret: each }).follow(),
    ),
  );
  open.push(revoked!, kept!);
  await Promise.all([revoked!.waitForEvents(1), kept!.waitForEvents(1)]);
  await gateway.database.prisma.inboxSecret.update({
    where: { id: ownSecret.id },
    data: { revokedAt: new Date() },
  });
  await eventually(() => expect(revoked!.isEnded()).toBe(true), { timeoutMs: 25_000 });
  await eventually(() => expect(kept!.readText()).toMatch(/^:\n\n/m), { timeoutMs: 25_000 });
  expect(kept!.isEnded()).toBe(false);
});
