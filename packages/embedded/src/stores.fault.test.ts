import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { closeFolder } from './account';
import { stopLeftovers } from './leftovers';
import { startPostgres } from './postgres';
import { hasEnded, isAlive } from './process-facts';
import { startRedis } from './redis';
import { queryRedis } from './redis-wire';

jest.setTimeout(120_000);

const cacheDir = path.resolve(__dirname, '..', '..', '..', '.belfry', 'cache');
let parent: string;

beforeEach(async () => {
  parent = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-stores-'));
  await closeFolder(parent);
});

afterEach(async () => {
  await stopLeftovers(parent);
  rmSync(parent, { recursive: true, force: true });
});

const postgresIn = (folder: string) => startPostgres({ dataDir: path.join(parent, folder) });
const redisIn = (folder: string) =>
  startRedis({ dataDir: path.join(parent, folder), cacheDir, persistence: true });

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function killHard(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  expect(await hasEnded(pid, 10_000)).toBe(true);
}

describe('a killed PostgreSQL', () => {
  test('restarts on its port with all committed data', async () => {
    const first = await postgresIn('postgres');
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS number');
    await killHard(first.pid);
    const second = await postgresIn('postgres');
    expect(second.port).toBe(first.port);
    expect(await query(second.url, 'SELECT number FROM kept')).toEqual([{ number: 7 }]);
  });

  test('restarts if another program has its process id now', async () => {
    const first = await postgresIn('postgres');
    await killHard(first.pid);
    const lock = path.join(parent, 'postgres', 'data', 'postmaster.pid');
    const lines = readFileSync(lock, 'utf8').split('\n');
    writeFileSync(lock, [String(process.pid), ...lines.slice(1)].join('\n'));
    const second = await postgresIn('postgres');
    expect(isAlive(second.pid)).toBe(true);
  });

  test('uses and saves another port if its own is taken', async () => {
    const first = await postgresIn('postgres');
    await first.stop();
    const squatter = net.createServer().listen(first.port, '127.0.0.1');
    try {
      const second = await postgresIn('postgres');
      expect(second.port).not.toBe(first.port);
      await second.stop();
      expect((await postgresIn('postgres')).port).toBe(second.port);
    } finally {
      squatter.close();
    }
  });
});

describe('an interrupted first start', () => {
  test('is repeated', async () => {
    mkdirSync(path.join(parent, 'postgres', 'data.new', 'base'), { recursive: true });
    expect(await query((await postgresIn('postgres')).url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });
});

describe('a data folder of another PostgreSQL version', () => {
  test('is refused with both versions, and left unchanged', async () => {
    await (await postgresIn('postgres')).stop();
    writeFileSync(path.join(parent, 'postgres', 'data', 'PG_VERSION'), '9\n');
    await expect(postgresIn('postgres')).rejects.toThrow('was created by PostgreSQL 9');
  });
});

describe('a checkout below a folder that only its owner may enter', () => {
  test('starts both servers', async () => {
    mkdirSync(path.join(parent, 'home'));
    chmodSync(path.join(parent, 'home'), 0o700);
    const postgres = await postgresIn('home/postgres');
    const redis = await redisIn('home/redis');
    expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(await queryRedis(redis.url, 'PING')).toBe('+PONG');
    await redis.stop();
    await postgres.stop();
  });

  test('still starts if the folder was public at the first start', async () => {
    mkdirSync(path.join(parent, 'home'));
    await (await postgresIn('home/postgres')).stop();
    chmodSync(path.join(parent, 'home'), 0o700);
    const postgres = await postgresIn('home/postgres');
    expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await postgres.stop();
  });
});

describe('a checkout below a folder that root can enter only by its capability', () => {
  const isRoot = process.getuid?.() === 0;
  const strangerId = 54_321;

  (isRoot ? test : test.skip)('has its PostgreSQL elsewhere, with its earlier data', async () => {
    const wasUsed = existsSync('/var/lib/belfry');
    const home = path.join(parent, 'home');
    mkdirSync(home);
    const first = await postgresIn('home/postgres');
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS number');
    await first.stop();
    chownSync(home, strangerId, strangerId);
    chmodSync(home, 0o700);

    const second = await postgresIn('home/postgres');
    const place = readFileSync(path.join(home, 'postgres', 'elsewhere'), 'utf8').trim();
    try {
      expect(await query(second.url, 'SELECT number FROM kept')).toEqual([{ number: 7 }]);
      await query(second.url, 'INSERT INTO kept VALUES (8)');
      await second.stop();
      const third = await postgresIn('home/postgres');
      expect(await query(third.url, 'SELECT number FROM kept')).toHaveLength(2);
      await third.stop();
    } finally {
      await stopLeftovers(home);
      rmSync(wasUsed ? place : '/var/lib/belfry', { recursive: true, force: true });
    }
  });

  (isRoot ? test : test.skip)('has its Redis in place', async () => {
    const home = path.join(parent, 'home');
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, strangerId, strangerId);
    const redis = await redisIn('home/redis');
    expect(await queryRedis(redis.url, 'SET kept 7')).toBe('+OK');
    await redis.stop();
  });
});

describe('a killed Redis', () => {
  test('restarts on its port with its appended data', async () => {
    const first = await redisIn('redis');
    await queryRedis(first.url, 'SET kept 7');
    // Appended data reaches the file within 1 s (`everysec`); killing the process does not lose it.
    await killHard(first.pid);
    const second = await redisIn('redis');
    expect(second.port).toBe(first.port);
    expect(await queryRedis(second.url, 'GET kept')).toBe('$1\r\n7');
  });
});

describe('stopLeftovers', () => {
  test('kills both servers, even if they are stopped', async () => {
    const postgres = await postgresIn('postgres');
    const redis = await redisIn('redis');
    process.kill(postgres.pid, 'SIGSTOP');
    process.kill(redis.pid, 'SIGSTOP');
    await stopLeftovers(parent);
    expect([isAlive(postgres.pid), isAlive(redis.pid)]).toEqual([false, false]);
  });
});
