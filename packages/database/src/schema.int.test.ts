import { openDatabase, testDatabase } from '@belfry/testing';
import type { Database } from './client';
import { Prisma } from './generated/client';

let database: Database;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
});

afterAll(() => database.close());

type Delegate = { findFirst(): Promise<unknown> };

/** The delegate of a model in the client. */
function getDelegate(model: string): Delegate {
  const name = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
  // Prisma names the delegate after the model.
  return (database.prisma as unknown as Record<string, Delegate>)[name]!;
}

function listFields(model: string): string[] {
  const enums = Prisma as unknown as Record<string, Record<string, string> | undefined>;
  return Object.values(enums[`${model}ScalarFieldEnum`] ?? {});
}

describe('the migrations', () => {
  test.each(Object.values(Prisma.ModelName))(
    'create every column of the model %s',
    async (model) => {
      await expect(getDelegate(model).findFirst()).resolves.not.toThrow();
    },
  );

  test('create no table and no column outside of the Prisma schema', async () => {
    const { rows } = await database.delivery.query<{ count: number; tables: number }>(
      `SELECT count(*)::int AS count, count(DISTINCT table_name)::int AS tables
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`,
    );
    const models = Object.values(Prisma.ModelName);
    expect(rows[0]).toEqual({
      tables: models.length,
      count: models.flatMap(listFields).length,
    });
  });

  test('create no foreign key from a big table to a table with hot rows', async () => {
    const { rows } = await database.delivery.query<{ child: string; parent: string }>(
      `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent
       FROM pg_constraint WHERE contype = 'f'
         AND conrelid::regclass::text IN ('request', 'request_item', 'message', 'attempt', 'receipt')`,
    );
    for (const { parent } of rows) expect(['request', 'request_item', 'message']).toContain(parent);
  });
});
