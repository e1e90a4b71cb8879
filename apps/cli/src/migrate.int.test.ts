import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase, dropDatabase, withDatabase } from '@belfry/embedded';
import { newId, readEnv } from '@belfry/runtime';
import { testDatabase } from '@belfry/testing';
import { runCli } from './cli';
import { migrateCommand } from './migrate';

let serverUrl: string;
let name: string;
let migrationsDir: string;

beforeEach(async () => {
  serverUrl = (await testDatabase()).url;
  name = `belfry_test_cli_${newId()}`;
  await createDatabase(serverUrl, name);
  migrationsDir = mkdtempSync(path.join(tmpdir(), 'belfry-cli-'));
  write('1_create_thing', 'CREATE TABLE thing (id int);');
  write('2_create_other', 'CREATE TABLE other (id int);');
});

afterEach(async () => {
  rmSync(migrationsDir, { recursive: true, force: true });
  await dropDatabase(serverUrl, name);
});

function write(migration: string, sql: string): void {
  mkdirSync(path.join(migrationsDir, migration), { recursive: true });
  writeFileSync(path.join(migrationsDir, migration, 'migration.sql'), sql);
}

async function belfry(args: string[], databaseUrl = withDatabase(serverUrl, name)) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli({
    commands: { migrate: migrateCommand({ migrationsDir }) },
    args,
    readSettings: () => readEnv('cli', { DATABASE_URL: databaseUrl }),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out, err };
}

describe('belfry migrate', () => {
  test('applies and names missing migrations, and applies nothing the second time', async () => {
    expect(await belfry(['migrate'])).toEqual({
      code: 0,
      out: ['Applied 1_create_thing', 'Applied 2_create_other'],
      err: [],
    });
    expect(await belfry(['migrate'])).toEqual({
      code: 0,
      out: ['Nothing to apply. The database has every migration.'],
      err: [],
    });
  });

  test('exits 1 and prints the error if a migration fails', async () => {
    write('3_break', 'SELECT 1 / 0;');
    const { code, err } = await belfry(['migrate']);
    expect({ code, err }).toEqual({
      code: 1,
      err: ['The migration 3_break failed: division by zero'],
    });
  });

  test('warns of a migration that was edited after it was applied, and continues', async () => {
    await belfry(['migrate']);
    write('1_create_thing', 'CREATE TABLE thing (id bigint);');
    const { code, err } = await belfry(['migrate']);
    expect({ code, err }).toEqual({
      code: 0,
      err: ['Warning: 1_create_thing was edited after it was applied.'],
    });
  });

  test('takes no arguments', async () => {
    const { code, out } = await belfry(['migrate', '--reset']);
    expect({ code, out }).toEqual({ code: 64, out: [] });
  });

  test('exits 1 with the reason and without the password if the server is down', async () => {
    const { code, err } = await belfry(['migrate'], 'postgresql://me:hunter2@127.0.0.1:1/belfry');
    expect(code).toBe(1);
    expect(err.join('\n')).toContain('ECONNREFUSED');
    expect(err.join('\n')).not.toContain('hunter2');
  });
});
