import { createDatabase, type Database } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import { testDatabase } from './database';

const bigTables = ['attempt', 'message', 'receipt', 'request', 'request_item'];

let database: Database;

beforeAll(async () => {
  const { url } = await testDatabase();
  const log = createLogger({ level: 'error', process: 'test' });
  database = createDatabase({ url, poolSize: 2, log });
});

afterAll(() => database.close());

describe('the data model', () => {
  test('has no foreign key from a big table to anything but a big table', async () => {
    const { rows } = await database.delivery.query<{ from: string; to: string }>(
      `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to
       FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY ($1::regclass[])`,
      [bigTables],
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ to }) => !bigTables.includes(to))).toEqual([]);
  });
});
