import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { createDatabase, dropDatabase, listDatabases, withDatabase } from './databases';
import { startPostgres } from './postgres';
import { isAlive } from './process-facts';
import type { Progress } from './progress';
import type { RunningStore } from './store';

jest.setTimeout(60_000);

let dataDir: string;
let postgres: RunningStore;
const progress: Progress[] = [];

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-postgres-'));
  postgres = await startPostgres({
    dataDir,
    canCreateDatabases: true,
    onProgress: (step) => progress.push(step),
  });
});

afterAll(async () => {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  test('starts a server on loopback that commits to disk', async () => {
    expect(new URL(postgres.url).hostname).toBe('127.0.0.1');
    const [row] = await query(
      postgres.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('listen_addresses') AS addresses,
              current_setting('server_encoding') AS encoding`,
    );
    expect(row).toEqual({
      fsync: 'on',
      commit: 'on',
      addresses: '127.0.0.1',
      encoding: 'UTF8',
    });
  });

  test('reports the start and duration of each slow step', () => {
    const steps = progress.filter(({ isDone }) => isDone).map(({ step }) => step);
    expect(steps).toEqual([
      'postgres: creating the data folder',
      'postgres: setting a password',
      'postgres: starting',
    ]);
    expect(progress[0]).toMatchObject({ isDone: false, elapsedMs: expect.any(Number) });
  });

  test('uses the server that is running on the folder', async () => {
    const again = await startPostgres({ dataDir });
    expect(again).toMatchObject({ pid: postgres.pid, port: postgres.port, url: postgres.url });
  });

  test('keeps its data and port after a restart', async () => {
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 7 AS number');
    const { pid, port } = postgres;
    await postgres.stop();
    await postgres.stop();
    expect(isAlive(pid)).toBe(false);

    postgres = await startPostgres({ dataDir });
    expect(postgres.port).toBe(port);
    expect(await query(postgres.url, 'SELECT number FROM kept')).toEqual([{ number: 7 }]);
  });
});

describe('createDatabase', () => {
  test('copies a template and returns false if the name exists; dropDatabase removes it', async () => {
    await createDatabase(postgres.url, 'template "one"');
    await query(
      withDatabase(postgres.url, 'template "one"'),
      'CREATE TABLE cloned AS SELECT 1 AS n',
    );
    expect(await createDatabase(postgres.url, 'copy', 'template "one"')).toBe(true);
    expect(await createDatabase(postgres.url, 'copy', 'template "one"')).toBe(false);
    expect(await query(withDatabase(postgres.url, 'copy'), 'SELECT n FROM cloned')).toEqual([
      { n: 1 },
    ]);

    await dropDatabase(postgres.url, 'copy');
    await dropDatabase(postgres.url, 'copy');
    expect(await listDatabases(postgres.url)).not.toContain('copy');
  });
});
