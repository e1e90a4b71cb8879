import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from './process-facts';
import { startRedis } from './redis';
import { queryRedis } from './redis-wire';
import type { RunningStore } from './store';

jest.setTimeout(120_000);

const cacheDir = path.resolve(__dirname, '..', '..', '..', '.belfry', 'cache');
let dataDir: string;
let redis: RunningStore;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-redis-'));
  redis = await startRedis({ dataDir, cacheDir, persistence: true });
});

afterAll(async () => {
  await redis.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('startRedis', () => {
  test('starts a server on loopback that evicts no keys', async () => {
    expect(redis.url).toMatch(new RegExp(`^redis://:[0-9a-f]+@127.0.0.1:${redis.port}$`));
    expect(await queryRedis(redis.url, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
    expect(await queryRedis(redis.url, 'CONFIG GET bind')).toContain('127.0.0.1');
    expect(await queryRedis(redis.url, 'CONFIG GET appendonly')).toContain('yes');
  });

  test('runs the scripts that queues need', async () => {
    expect(await queryRedis(redis.url, 'EVAL "return #cmsgpack.pack({1,2})" 0')).toBe(':3');
  });

  test('uses the server that is running on the folder', async () => {
    const again = await startRedis({ dataDir, cacheDir, persistence: true });
    expect(again).toMatchObject({ pid: redis.pid, port: redis.port });
  });

  test('keeps its data and port after a restart', async () => {
    await queryRedis(redis.url, 'SET kept 7');
    const { pid, port } = redis;
    await redis.stop();
    await redis.stop();
    expect(isAlive(pid)).toBe(false);

    redis = await startRedis({ dataDir, cacheDir, persistence: true });
    expect(redis.port).toBe(port);
    expect(await queryRedis(redis.url, 'GET kept')).toBe('$1\r\n7');
  });
});
