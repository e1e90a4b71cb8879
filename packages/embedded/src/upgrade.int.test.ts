import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { closeFolder } from './account';
import { takeFolder } from './identity';
import { stopLeftovers } from './leftovers';
import { findFreePort } from './ports';
import { startPostgres } from './postgres';
import { findPostgresBinaries } from './postgres-binaries';
import { createSteps } from './progress';
import { startRedis } from './redis';
import { queryRedis } from './redis-wire';
import { run } from './run';

jest.setTimeout(120_000);

const timeoutMs = 60_000;
const cacheDir = path.resolve(__dirname, '..', '..', '..', '.belfry', 'cache');
let parent: string;
let folder: string;

beforeEach(async () => {
  parent = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-upgrade-'));
  await closeFolder(parent);
  folder = path.join(parent, 'store');
  mkdirSync(folder);
});

afterEach(async () => {
  await stopLeftovers(parent);
  rmSync(parent, { recursive: true, force: true });
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

/** A PostgreSQL as version 0.1.0 started it, still running: a superuser without a password, and a public folder. */
async function startOldPostgres(): Promise<string> {
  const { postgres, initdb, pgCtl } = await findPostgresBinaries();
  const program = { command: postgres };
  const as = await takeFolder(folder, program, ['account', 'namespace'], createSteps('test'));
  if (!as) throw new Error(`${folder} cannot be accessed`);
  const data = path.join(folder, 'data');
  await run(initdb, ['-D', data, '-U', 'belfry', '--auth=trust'], { timeoutMs, as });
  const port = await findFreePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`;
  const log = path.join(folder, 'server.log');
  await run(pgCtl, ['start', '-D', data, '-l', log, '-w', '-o', options], { timeoutMs, as });
  writeFileSync(path.join(folder, 'port'), `${port}\n`);
  chmodSync(folder, 0o755);
  const server = `postgresql://belfry@127.0.0.1:${port}`;
  await query(`${server}/postgres`, 'CREATE DATABASE belfry');
  await query(`${server}/belfry`, 'CREATE TABLE kept AS SELECT 7 AS number');
  return `${server}/belfry`;
}

describe('a PostgreSQL of an earlier version', () => {
  test('gets a password at the next start; its data stays and belongs to the new role', async () => {
    const old = await startOldPostgres();
    expect(await query(old, 'SELECT number FROM kept')).toEqual([{ number: 7 }]);

    const { url } = await startPostgres({ dataDir: folder });
    expect(new URL(url).port).toBe(new URL(old).port);
    await expect(query(old, 'SELECT 1')).rejects.toThrow('no pg_hba.conf entry');
    await query(url, 'ALTER TABLE kept ADD note text');
    expect(await query(url, 'SELECT number, note FROM kept')).toEqual([{ number: 7, note: null }]);
    expect(await query(url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toEqual([
      { rolsuper: false },
    ]);
  });

  test('gets another password if the upgrade was interrupted', async () => {
    await startOldPostgres();
    const interrupted = await startPostgres({ dataDir: folder });
    rmSync(path.join(folder, 'password'));

    const { url } = await startPostgres({ dataDir: folder });
    expect(new URL(url).password).not.toBe(new URL(interrupted.url).password);
    await expect(query(interrupted.url, 'SELECT 1')).rejects.toThrow('password authentication');
    expect(await query(url, 'SELECT number FROM kept')).toEqual([{ number: 7 }]);
  });

  test('is refused with the command that resets it if it cannot be upgraded', async () => {
    const old = await startOldPostgres();
    const server = old.replace(/belfry$/, 'postgres');
    await query(server, 'DROP DATABASE belfry WITH (FORCE)');
    const started = startPostgres({ dataDir: folder });
    await expect(started).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining(`database "belfry" does not exist`),
    });
    await expect(started).rejects.toThrow(`rm -rf ${folder}`);
  });

  test('names the file to remove if its password is wrong', async () => {
    await startPostgres({ dataDir: folder });
    writeFileSync(path.join(folder, 'password'), 'another\n');
    await expect(startPostgres({ dataDir: folder })).rejects.toThrow(
      `PostgreSQL refused the password in ${path.join(folder, 'password')}. Remove that file`,
    );
  });
});

describe('a folder of another user', () => {
  test('is refused with the commands that reset it or change its owner', async () => {
    const me = (process.getuid?.() ?? 0) + 54_321;
    const getuid = jest.spyOn(process, 'getuid').mockReturnValue(me);
    await expect(closeFolder(folder)).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining(
        `sudo rm -rf ${folder}. To keep its data: sudo chown -R ${me}`,
      ),
    });
    getuid.mockRestore();
  });
});

describe('a Redis of an earlier version', () => {
  test('gets a password at the next start, and keeps its data', async () => {
    const first = await startRedis({ dataDir: folder, cacheDir, persistence: true });
    await queryRedis(first.url, 'SET kept 7');
    // An earlier version had no password, neither in memory nor in its folder.
    await queryRedis(first.url, 'CONFIG SET requirepass ""');
    const config = path.join(folder, 'redis.conf');
    const lines = readFileSync(config, 'utf8').split('\n');
    writeFileSync(config, lines.filter((line) => !line.startsWith('requirepass')).join('\n'));
    rmSync(path.join(folder, 'password'));

    const second = await startRedis({ dataDir: folder, cacheDir, persistence: true });
    expect(second.pid).not.toBe(first.pid);
    expect(second.port).toBe(first.port);
    expect(await queryRedis(first.url, 'PING')).toBeUndefined();
    expect(await queryRedis(second.url, 'GET kept')).toBe('$1\r\n7');
  });

  test('is stopped and replaced if it runs without the password in its folder', async () => {
    const first = await startRedis({ dataDir: folder, cacheDir, persistence: true });
    await queryRedis(first.url, 'CONFIG SET requirepass ""');
    const second = await startRedis({ dataDir: folder, cacheDir, persistence: true });
    expect(second.url).toBe(first.url);
    expect(second.pid).not.toBe(first.pid);
  });
});
