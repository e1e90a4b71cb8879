import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase, testDatabase } from '@belfry/testing';
import type { Database } from './client';
import { inTransaction, undoneOrTaken } from './transaction';

let database: Database;

beforeAll(async () => {
  database = openDatabase({ url: (await testDatabase()).url, poolSize: 2 });
});

afterAll(() => database.close());

test.each([
  ['once after a unique violation', '23505', undefined, 1],
  ['three times after serialization failures', '40001', undefined, 3],
  ['three times after unique violations when the caller retries those', '23505', undoneOrTaken, 3],
])('a transaction is tried %s', async (_what, state, retried, tries) => {
  let attempts = 0;
  const failing = inTransaction(
    database.accepting,
    async (client) => {
      attempts += 1;
      await client.query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}'; END $$`);
    },
    retried,
  );
  await expect(failing).rejects.toMatchObject({ code: state });
  expect(attempts).toBe(tries);
});

// Found by the chaos test: an unhandled error event ended the process.
test('a connection that PostgreSQL closes between two statements fails only its transaction', async () => {
  const lost = inTransaction(database.accepting, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.delivery.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
    // Long enough for the close to arrive while no statement is running.
    await wait(200);
    await client.query('SELECT 1');
  });
  await expect(lost).rejects.toThrow();
  const again = inTransaction(database.accepting, (client) => client.query('SELECT 1 AS one'));
  expect((await again).rows).toEqual([{ one: 1 }]);
});

test('within a transaction, a part that fails is undone alone, also when it is in another part', async () => {
  const rows = await inTransaction(database.accepting, async (client) => {
    await client.query('CREATE TEMPORARY TABLE kept (step text) ON COMMIT DROP');
    const insert = (step: string) => client.query('INSERT INTO kept VALUES ($1)', [step]);
    const fail = () => Promise.reject(new Error('undone'));
    await inTransaction(client, () => insert('one'));
    const outer = inTransaction(client, async () => {
      await insert('two');
      const inner = inTransaction(client, () => insert('three').then(fail));
      await expect(inner).rejects.toThrow('undone');
      await insert('four').then(fail);
    });
    await expect(outer).rejects.toThrow('undone');
    await inTransaction(client, () => insert('five'));
    return (await client.query<{ step: string }>('SELECT step FROM kept')).rows;
  });
  expect(rows).toEqual([{ step: 'one' }, { step: 'five' }]);
});
