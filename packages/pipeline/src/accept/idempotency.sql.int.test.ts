import { randomBytes } from 'node:crypto';
import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { createFactories, openDatabase, type Tenant, testDatabase } from '@belfry/testing';
import { findStoredKeys, purgeIdempotencyKeys, writeKeyAlone } from './idempotency.sql';
import { toKeyName } from './stored-key';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
let database: Database;
let tenant: Tenant;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  tenant = await createFactories(database).createTenant();
});

afterAll(() => database.close());

function newKey(body = '{"success":false}') {
  const hash = randomBytes(32);
  const fingerprint = randomBytes(32);
  return {
    accountId: tenant.accountId,
    requestId: newId(),
    key: { hash, fingerprint, ringKeyId: 'test', status: 500 },
    body,
  };
}

async function writeAged(ageMs: number): Promise<Buffer> {
  const stored = newKey();
  await writeKeyAlone(database.accepting, stored);
  await database.prisma.idempotencyKey.updateMany({
    where: { accountId: tenant.accountId, keyHash: stored.key.hash },
    data: { firstSeen: new Date(Date.now() - ageMs) },
  });
  return stored.key.hash;
}

async function find(hash: Buffer) {
  const place = { accountId: tenant.accountId, hash };
  return (await findStoredKeys(database.accepting, [place])).get(toKeyName(place));
}

/** Also purges old keys that other tests left in this database. */
async function purgeAll(olderThanMs: number): Promise<void> {
  while ((await purgeIdempotencyKeys(database.accepting, { olderThanMs, limit: 100 })) === 100);
}

describe('writeKeyAlone', () => {
  test('stores the response unchanged', async () => {
    const stored = newKey('{"a" : "ü\\u00fc"}');
    expect(await writeKeyAlone(database.accepting, stored)).toEqual({ isWritten: true });
    const { fingerprint, ringKeyId } = stored.key;
    expect(await find(stored.key.hash)).toEqual({
      fingerprint,
      ringKeyId,
      requestId: stored.requestId,
      status: 500,
      body: '{"a" : "ü\\u00fc"}',
    });
  });

  test('keeps and returns the row that was stored before', async () => {
    const first = newKey('1');
    await writeKeyAlone(database.accepting, first);
    const second = { ...newKey('2'), key: { ...newKey().key, hash: first.key.hash } };
    expect(await writeKeyAlone(database.accepting, second)).toMatchObject({
      isWritten: false,
      winner: { requestId: first.requestId, body: '1' },
    });
    expect(await find(first.key.hash)).toMatchObject({ body: '1' });
  });
});

describe('purgeIdempotencyKeys', () => {
  test('removes a key that is 24 hours old, but no younger one', async () => {
    const old = await writeAged(dayMs + 1_000);
    const young = await writeAged(dayMs - hourMs);
    await purgeAll(dayMs);
    expect(await find(old)).toBeUndefined();
    expect(await find(young)).toBeDefined();
  });

  test('removes at most `limit` keys, oldest first', async () => {
    await purgeAll(dayMs);
    const keys = [await writeAged(40 * dayMs), await writeAged(41 * dayMs)];
    expect(
      await purgeIdempotencyKeys(database.accepting, { olderThanMs: 30 * dayMs, limit: 1 }),
    ).toBe(1);
    expect(await Promise.all(keys.map(find))).toEqual([expect.anything(), undefined]);
    await purgeAll(dayMs);
  });

  test('refuses to remove keys younger than 24 hours', async () => {
    await expect(
      purgeIdempotencyKeys(database.accepting, { olderThanMs: dayMs - 1, limit: 1 }),
    ).rejects.toThrow(RangeError);
  });
});
