import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testDatabase } from '@belfry/testing';
import { Client } from 'pg';
import { migrate, OlderDatabaseError, readSchemaVersion } from './migrate';

jest.setTimeout(30_000);

let migrationsDir: string;
let url: string;
let drop: () => Promise<void>;

beforeEach(async () => {
  migrationsDir = mkdtempSync(path.join(tmpdir(), 'belfry-migrations-'));
  const { url: serverUrl } = await testDatabase();
  const name = `belfry_test_migrate_${randomUUID()}`;
  await query(serverUrl, `CREATE DATABASE "${name}"`);
  drop = async () => {
    await query(serverUrl, `DROP DATABASE "${name}" WITH (FORCE)`);
  };
  const own = new URL(serverUrl);
  own.pathname = `/${name}`;
  url = own.href;
});

afterEach(async () => {
  rmSync(migrationsDir, { recursive: true, force: true });
  await drop();
});

async function query(databaseUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function write(name: string, sql: string): void {
  mkdirSync(path.join(migrationsDir, name), { recursive: true });
  writeFileSync(path.join(migrationsDir, name, 'migration.sql'), sql);
}

describe('migrate', () => {
  test('applies missing migrations once, in order of their names', async () => {
    write('2_add_column', 'ALTER TABLE thing ADD COLUMN name text; -- a comment; with a semicolon');
    write('1_create_thing', 'CREATE TABLE thing (id int);');
    expect(await migrate(url, migrationsDir)).toEqual({
      applied: ['1_create_thing', '2_add_column'],
      edited: [],
    });
    expect(await migrate(url, migrationsDir)).toEqual({ applied: [], edited: [] });
    write('3_create_other', 'CREATE TABLE other (id int);');
    expect((await migrate(url, migrationsDir)).applied).toEqual(['3_create_other']);
  });

  test('writes the same records as Prisma', async () => {
    const sql = 'CREATE TABLE thing (id int);';
    write('1_create_thing', sql);
    await migrate(url, migrationsDir);
    expect(await query(url, 'SELECT * FROM "_prisma_migrations"')).toEqual([
      {
        id: expect.any(String),
        checksum: createHash('sha256').update(sql).digest('hex'),
        finished_at: expect.any(Date),
        migration_name: '1_create_thing',
        logs: null,
        rolled_back_at: null,
        started_at: expect.any(Date),
        applied_steps_count: 1,
      },
    ]);
  });

  test('applies migrations once when several processes start at the same time', async () => {
    write('1_create_thing', 'CREATE TABLE thing (id int); SELECT pg_sleep(0.2);');
    const all = await Promise.all([1, 2, 3, 4].map(() => migrate(url, migrationsDir)));
    expect(all.flatMap(({ applied }) => applied)).toEqual(['1_create_thing']);
  });

  test('reports a migration that was edited after it was applied, and does not run it again', async () => {
    write('1_create_thing', 'CREATE TABLE thing (id int);');
    await migrate(url, migrationsDir);
    write('1_create_thing', 'CREATE TABLE thing (id bigint);');
    expect(await migrate(url, migrationsDir)).toEqual({ applied: [], edited: ['1_create_thing'] });
  });

  test('rolls back a failed migration, and refuses to continue until it is marked as rolled back', async () => {
    write('1_create_thing', 'CREATE TABLE thing (id int); SELECT 1 / 0;');
    write('2_create_other', 'CREATE TABLE other (id int);');
    await expect(migrate(url, migrationsDir)).rejects.toThrow('1_create_thing failed: division by');
    expect(
      await query(url, "SELECT to_regclass('thing') AS thing, to_regclass('other') AS other"),
    ).toEqual([{ thing: null, other: null }]);

    write('1_create_thing', 'CREATE TABLE thing (id int);');
    await expect(migrate(url, migrationsDir)).rejects.toThrow('1_create_thing failed earlier');
    await expect(readSchemaVersion(url, migrationsDir)).rejects.toThrow('failed earlier');

    await query(url, 'UPDATE "_prisma_migrations" SET rolled_back_at = now()');
    expect((await migrate(url, migrationsDir)).applied).toEqual([
      '1_create_thing',
      '2_create_other',
    ]);
  });

  test('runs a statement that cannot run inside a transaction', async () => {
    write('1_create_thing', 'CREATE TABLE thing (id int);');
    write('2_index_thing', 'CREATE INDEX CONCURRENTLY thing_id ON thing (id);');
    expect((await migrate(url, migrationsDir)).applied).toHaveLength(2);
  });
});

describe('readSchemaVersion', () => {
  test('distinguishes an empty database, a current one and one that is ahead', async () => {
    write('1_create_thing', 'CREATE TABLE thing (id int);');
    write('2_create_other', 'CREATE TABLE other (id int);');
    expect(await readSchemaVersion(url, migrationsDir)).toEqual({
      state: 'behind',
      missing: ['1_create_thing', '2_create_other'],
      unknown: [],
    });
    await migrate(url, migrationsDir);
    expect((await readSchemaVersion(url, migrationsDir)).state).toBe('ok');

    rmSync(path.join(migrationsDir, '2_create_other'), { recursive: true });
    expect(await readSchemaVersion(url, migrationsDir)).toEqual({
      state: 'ahead',
      missing: [],
      unknown: ['2_create_other'],
    });
  });

  test('reports a database as behind when it lacks one migration and has a newer one', async () => {
    write('1_create_thing', 'CREATE TABLE thing (id int);');
    write('3_create_last', 'CREATE TABLE last (id int);');
    await migrate(url, migrationsDir);
    rmSync(path.join(migrationsDir, '3_create_last'), { recursive: true });
    write('2_create_other', 'CREATE TABLE other (id int);');
    expect(await readSchemaVersion(url, migrationsDir)).toEqual({
      state: 'behind',
      missing: ['2_create_other'],
      unknown: ['3_create_last'],
    });
  });
});

describe('a database from before the first migration', () => {
  test('is reported as older, and is neither upgraded nor changed', async () => {
    write('1_create_thing', 'CREATE TABLE thing (id int);');
    await migrate(url, migrationsDir);
    rmSync(path.join(migrationsDir, '1_create_thing'), { recursive: true });
    write('2_create_schema', 'CREATE TABLE other (id int);');
    expect(await readSchemaVersion(url, migrationsDir)).toEqual({
      state: 'older',
      missing: ['2_create_schema'],
      unknown: ['1_create_thing'],
    });
    await expect(migrate(url, migrationsDir)).rejects.toThrow(OlderDatabaseError);
    expect(await query(url, `SELECT to_regclass('other')::text AS name`)).toEqual([{ name: null }]);
  });
});

describe('the migrations of this repository', () => {
  test('apply to an empty database', async () => {
    const own = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');
    expect((await migrate(url, own)).applied.length).toBeGreaterThan(0);
    expect((await readSchemaVersion(url, own)).state).toBe('ok');
  });
});
