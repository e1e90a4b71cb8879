import { hash } from 'node:crypto';
import { newId } from '@belfry/runtime';
import { channelVersion, eventually, type Tenant } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };
const results = [
  'accepted',
  'replayed',
  'mismatch',
  'conflict',
  'refused',
  'failed',
  'bypass',
] as const;
type Result = (typeof results)[number];

let gateway: StoredGateway;
/** A gateway that cannot reach Redis. */
let alone: StoredGateway;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  alone = await createStoredGateway({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
  event = (await gateway.factories.createEvent(gateway.tenant, version)).name;
});
afterAll(() => Promise.all([gateway.close(), alone.close()]));

type Call = { key: string; data?: object; eventName?: string; from?: StoredGateway };

async function send({ key, data = {}, eventName = event, from = gateway }: Call): Promise<number> {
  const { appId: app, apiKey }: Tenant = gateway.tenant;
  const body = { event: eventName, user: { email: 'a@example.com' }, data };
  const headers = { 'Idempotency-Key': key };
  const path = '/events/send';
  return (await from.call({ method: 'post', path, body, headers, app, apiKey })).status;
}

async function readCounts(from: StoredGateway): Promise<Record<Result, number>> {
  const text = await from.readMetrics();
  const counts = Object.fromEntries(results.map((result) => [result, 0]));
  for (const [, result = '', count] of text.matchAll(
    /^belfry_idempotency_total\{result="(\w+)"\} (\d+)$/gm,
  )) {
    counts[result] = Number(count);
  }
  // All results were set above.
  return counts as Record<Result, number>;
}

/** Blocks a call in PostgreSQL at its key while `work` runs. Returns both statuses. */
async function whileLocked(key: string, work: () => Promise<number>): Promise<number[]> {
  const { accountId } = gateway.tenant;
  const client = await gateway.database.accepting.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status)
       VALUES ($1, $2, $2, 'test', $3, 200)`,
      [accountId, hash('sha256', `${accountId}:${key}`, 'buffer'), newId()],
    );
    const blockedStatus = send({ key });
    await eventually(async () => {
      const names = await gateway.redis.keys(`${gateway.redisPrefix}:idem:{${accountId}}:*`);
      const locked = await Promise.all(names.map((name) => gateway.redis.get(name)));
      expect(locked.filter((entry) => entry?.startsWith('L'))).toHaveLength(1);
    });
    const status = await work();
    await client.query('ROLLBACK');
    return [await blockedStatus, status];
  } finally {
    client.release(true);
  }
}

describe('belfry_idempotency_total', () => {
  test.each<[Result, Partial<Record<Result, number>>, () => Promise<unknown>]>([
    ['accepted', {}, async () => expect(await send({ key: newId() })).toBe(200)],
    [
      'replayed',
      { accepted: 1 },
      async () => {
        const key = newId();
        expect([await send({ key }), await send({ key })]).toEqual([200, 200]);
      },
    ],
    [
      'mismatch',
      { accepted: 1 },
      async () => {
        const key = newId();
        expect([await send({ key }), await send({ key, data: { a: 1 } })]).toEqual([200, 422]);
      },
    ],
    [
      'conflict',
      { accepted: 1 },
      async () => {
        const key = newId();
        expect(await whileLocked(key, () => send({ key }))).toEqual([200, 409]);
      },
    ],
    [
      'refused',
      {},
      async () => expect(await send({ key: newId(), eventName: 'nowhere' })).toBe(404),
    ],
    [
      'failed',
      {},
      async () => expect(await send({ key: newId(), eventName: await createFault() })).toBe(500),
    ],
  ])('counts %s once', async (result, otherCounts, work) => {
    const before = await readCounts(gateway);
    await work();
    const after = await readCounts(gateway);
    const gained = results.map((each) => [each, after[each] - before[each]]);
    const expected = { ...otherCounts, [result]: (otherCounts[result] ?? 0) + 1 };
    expect(Object.fromEntries(gained)).toEqual({
      ...Object.fromEntries(results.map((each) => [each, 0])),
      ...expected,
    });
  });

  test('also counts a bypass if Redis is unavailable', async () => {
    expect(await send({ key: newId(), from: alone })).toBe(200);
    expect(await readCounts(alone)).toMatchObject({ accepted: 1, bypass: 1 });
  });

  test('does not count calls without a key', async () => {
    const before = await readCounts(gateway);
    const body = { event, user: { email: 'a@example.com' } };
    const { status } = await gateway.call({ method: 'post', path: '/events/send', body });
    expect(status).toBe(200);
    expect(await readCounts(gateway)).toEqual(before);
  });
});

/** An event whose version cannot be planned, which causes an internal error. */
async function createFault(): Promise<string> {
  const { name, versionId } = await gateway.factories.createEvent(gateway.tenant, version);
  await gateway.database.accepting.query('UPDATE event_version SET definition = $1 WHERE id = $2', [
    '{}',
    versionId,
  ]);
  return name;
}
