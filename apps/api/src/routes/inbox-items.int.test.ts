import { newId } from '@belfry/runtime';
import type { ReaderSecret } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { createSignedReader, type SignedReader } from '../streams/follow.fixture';

let gateway: StoredGateway;
let secret: ReaderSecret;

beforeAll(async () => {
  gateway = await createStoredGateway();
  secret = await gateway.factories.createInboxSecret(gateway.tenant);
});

afterAll(() => gateway.close());

function createReader(): SignedReader {
  return createSignedReader(gateway, gateway.tenant.appId, { secret });
}

async function createReaderWithItems(count: number) {
  const reader = createReader();
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) ids.push(await reader.addItem(`${number}`));
  return { reader, ids: ids.toReversed() };
}

function listIds(body: { items: { message_id: string }[] }): string[] {
  return body.items.map(({ message_id }) => message_id);
}

describe('GET items', () => {
  test('pages in both directions with the counts and the ID from which a stream continues', async () => {
    const { reader, ids } = await createReaderWithItems(3);
    const first = await reader.call('GET', 'items?limit=2');
    expect(first.body).toEqual({
      items: [expect.any(Object), expect.any(Object)],
      before: expect.any(String),
      after: expect.any(String),
      counts: { unseen: 3, unread: 3 },
      stream: expect.any(String),
    });
    expect(first.body.items[0]).toEqual({
      message_id: ids[0],
      message_body: { title: '3', body: '', data: {} },
      timestamp: expect.any(Number),
      ...{ status: 'UNREAD', seen_at: null, read_at: null, archived_at: null },
    });
    const second = await reader.call('GET', `items?limit=2&before=${first.body.before}`);
    expect(listIds(first.body).concat(listIds(second.body))).toEqual(ids);
    expect(second.body).not.toHaveProperty('before');
    const nothing = await reader.call('GET', `items?after=${first.body.after}`);
    expect(nothing.body).toMatchObject({ items: [], after: first.body.after });
    const newId = await reader.addItem();
    const newer = await reader.call('GET', `items?after=${first.body.after}`);
    expect(listIds(newer.body)).toEqual([newId]);
  });

  test('lists archived items only if they are asked for', async () => {
    const { reader, ids } = await createReaderWithItems(2);
    await reader.call('PUT', `items/${ids[1]}`, { archived: true });
    expect(listIds((await reader.call('GET', 'items')).body)).toEqual([ids[0]]);
    expect(listIds((await reader.call('GET', 'items?archived=true')).body)).toEqual([ids[1]]);
  });
});

describe('PUT items', () => {
  test('changes items up to a cursor or a message, and not those that arrived later', async () => {
    const { reader, ids } = await createReaderWithItems(3);
    const { body: page } = await reader.call('GET', 'items');
    const later = await reader.addItem('later');
    const seen = await reader.call('PUT', 'items', { up_to: page.after, seen: true });
    expect(seen).toEqual({ status: 200, body: { changed: 3, counts: { unseen: 1, unread: 4 } } });
    const read = await reader.call('PUT', 'items', { up_to: ids[1], read: true });
    expect(read.body).toEqual({ changed: 2, counts: { unseen: 1, unread: 2 } });
    const { body } = await reader.call('GET', 'items');
    expect(body.items.map((item) => item.status)).toEqual([
      ...['UNREAD', 'UNREAD', 'READ', 'READ'],
    ]);
    expect(listIds(body)[0]).toBe(later);
  });

  test('undoes a state, too', async () => {
    const { reader, ids } = await createReaderWithItems(2);
    await reader.call('PUT', 'items', { up_to: ids[0], archived: true });
    const undone = await reader.call('PUT', 'items', { up_to: ids[0], archived: false });
    expect(undone.body).toEqual({ changed: 2, counts: { unseen: 2, unread: 2 } });
  });
});

describe('GET counts', () => {
  test('counts unseen and unread items', async () => {
    const { reader, ids } = await createReaderWithItems(2);
    await reader.call('PUT', `items/${ids[0]}`, { seen: true });
    expect((await reader.call('GET', 'counts')).body).toEqual({ unseen: 1, unread: 2 });
  });
});

test('an item that was archived by today’s front ends can be taken out of the archive', async () => {
  const { reader, ids } = await createReaderWithItems(1);
  const [message_id] = ids;
  const old = { user_id: reader.userId, message_id };
  await reader.call('PUT', 'update', { ...old, status: 'ARCHIVE' });
  await reader.call('PUT', 'update', { ...old, status: 'UNREAD' });
  expect(listIds((await reader.call('GET', 'items')).body)).toEqual([]);
  const { body } = await reader.call('PUT', `items/${message_id}`, { archived: false });
  expect(body).toMatchObject({ message_id, status: 'UNREAD', archived_at: null });
  expect(listIds((await reader.call('GET', 'items')).body)).toEqual([message_id]);
});

describe('invalid input', () => {
  const unknown = newId();
  const cursor = 'must be a cursor from an earlier response for this user';

  type Call = [method: string, path: string, body?: object];
  const invalid = [422, 'validation_failed'] as const;
  const notFound = [404, 'message_not_found'] as const;
  const noState = 'must have seen, read or archived';

  test.each<[call: Call, refusal: readonly [number, string], sentence: string]>([
    [['GET', 'items?limit=0'], invalid, 'limit must be a whole number from 1 to 100'],
    [['GET', 'items?limit=101'], invalid, 'limit must be'],
    [['GET', 'items?limit=1&limit=2'], invalid, 'limit must appear only once'],
    [['GET', 'items?archived=yes'], invalid, 'archived must be true or false'],
    [['GET', 'items?before=x'], invalid, `before ${cursor}`],
    [['GET', 'items?after=x'], invalid, `after ${cursor}`],
    [['GET', 'items?after=x&before=x'], invalid, 'must not be combined with before'],
    [['PUT', `items/${unknown}`, { read: true }], notFound, 'message not found'],
    [['PUT', 'items/x', { read: true }], notFound, 'message not found'],
    [['PUT', `items/${unknown}`, {}], invalid, noState],
    [['PUT', `items/${unknown}`, { read: 1 }], [400, 'invalid_type'], 'read must be'],
    [['PUT', `items/${unknown}`, { read: true, seen: false }], invalid, 'seen must not be false'],
    [['PUT', 'items', { read: true }], invalid, 'up_to must not be null'],
    [['PUT', 'items', { up_to: 'x', read: true }], invalid, `up_to ${cursor}`],
    [['PUT', 'items', { up_to: unknown, read: true }], notFound, 'message not found'],
    [['PUT', 'items', { up_to: unknown }], invalid, noState],
    [['PUT', 'items', { up_to: 'x'.repeat(17_000) }], [413, 'body_too_large'], '16384'],
  ])('%j gets %j', async ([method, path, body], refusal, sentence) => {
    const answer = await createReader().call(method, path, body);
    expect([answer.status, answer.body.code]).toEqual(refusal);
    expect(answer.body.error).toContain(sentence);
  });

  test('a cursor of another reader is refused, and its message is not found', async () => {
    const { reader: victim, ids } = await createReaderWithItems(1);
    const { body: page } = await victim.call('GET', 'items');
    const reader = createReader();
    for (const direction of ['before', 'after']) {
      const answer = await reader.call('GET', `items?${direction}=${page.after}`);
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    }
    const bulk = await reader.call('PUT', 'items', { up_to: page.after, read: true });
    expect(bulk.status).toBe(422);
    const byMessage = await reader.call('PUT', 'items', { up_to: ids[0], read: true });
    expect(byMessage.status).toBe(404);
    expect((await reader.call('PUT', `items/${ids[0]}`, { read: true })).status).toBe(404);
    expect((await victim.call('GET', 'counts')).body).toEqual({ unseen: 1, unread: 1 });
  });
});
