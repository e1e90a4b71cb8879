import { createSecrets } from '@belfry/runtime';
import { testDatabase } from '@belfry/testing';
import pg from 'pg';
import { checkKeyRing } from './key-canary';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: (await testDatabase()).url });
  await client.connect();
});

// The transaction is never committed, so no other test sees the canaries.
beforeEach(async () => {
  await client.query('BEGIN');
  await client.query('DELETE FROM key_canary');
});
afterEach(() => client.query('ROLLBACK'));
afterAll(() => client.end());

function ring(...keys: [id: string, byte: number][]) {
  return createSecrets(
    keys.map(([id, byte]) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`).join(','),
  );
}

async function readKeyIds(): Promise<string[]> {
  const { rows } = await client.query<{ key_id: string }>('SELECT key_id FROM key_canary');
  return rows.map((row) => row.key_id).sort();
}

describe('checkKeyRing', () => {
  test('writes one canary of the sealing key, also when it runs twice', async () => {
    expect(await checkKeyRing(client, ring(['k1', 1]))).toEqual([]);
    expect(await checkKeyRing(client, ring(['k1', 1]))).toEqual([]);
    expect(await readKeyIds()).toEqual(['k1']);
  });

  test('accepts a rotated ring that still has the old key', async () => {
    await checkKeyRing(client, ring(['k1', 1]));
    expect(await checkKeyRing(client, ring(['k2', 2], ['k1', 1]))).toEqual([]);
    expect(await readKeyIds()).toEqual(['k1', 'k2']);
  });

  test('names the missing key, and writes no canary for the wrong ring', async () => {
    await checkKeyRing(client, ring(['k1', 1]));
    expect(await checkKeyRing(client, ring(['k2', 2]))).toEqual([
      expect.stringContaining('the key "k1" is missing'),
    ]);
    expect(await readKeyIds()).toEqual(['k1']);
  });

  test('names a key whose bytes have changed', async () => {
    await checkKeyRing(client, ring(['k1', 1]));
    expect(await checkKeyRing(client, ring(['k1', 9]))).toEqual([
      expect.stringContaining('the key "k1" is not the one that sealed'),
    ]);
  });
});
