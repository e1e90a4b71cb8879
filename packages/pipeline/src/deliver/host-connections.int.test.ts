import { setTimeout as sleep } from 'node:timers/promises';
import {
  createLogger,
  createRedis,
  newId,
  type RedisConnection,
  waitForRedis,
} from '@belfry/runtime';
import { testRedis } from '@belfry/testing';
import { createHostConnections, type HostConnectionsDeps } from './host-connections';

const log = createLogger({ level: 'error', process: 'test' });
let redis: RedisConnection;

beforeAll(async () => {
  redis = createRedis({ url: testRedis().url, log });
  await waitForRedis(redis, 5_000);
});

afterAll(() => redis.disconnect());

function setUp(changes: Partial<HostConnectionsDeps> = {}) {
  const prefix = `${testRedis().prefix}-${newId()}`;
  return createHostConnections({ redis, prefix, max: 2, ttlMs: 60_000, log, ...changes });
}

/** The results for one connection after the other. */
async function take(connections: ReturnType<typeof setUp>, ids: string, host = 'a.example') {
  const answers: string[] = [];
  for (const id of ids) answers.push(await connections.take(host, id));
  return answers.join(' ');
}

describe('connections to a host', () => {
  test('are granted up to the maximum, for each host separately', async () => {
    const connections = setUp();
    expect(await take(connections, 'abc')).toBe('granted granted refused');
    expect(await take(connections, 'c', 'b.example')).toBe('granted');
  });

  test('count over all workers', async () => {
    const prefix = `${testRedis().prefix}-${newId()}`;
    const workers = [setUp({ prefix }), setUp({ prefix })];
    expect(
      await Promise.all(workers.map((each, at) => take(each, at === 0 ? 'ab' : 'cd'))),
    ).toEqual(expect.arrayContaining([expect.stringContaining('refused')]));
  });

  test('are reported as wanted while others wait, and go to the one that waited longest', async () => {
    const connections = setUp();
    expect(await take(connections, 'abcd')).toBe('granted granted refused refused');
    expect(await take(connections, 'a')).toBe('wanted');
    connections.release('a.example', 'a');
    // Refuses both a new connection and the second in the queue.
    expect(await take(connections, 'ed')).toBe('refused refused');
    expect(await take(connections, 'c')).toBe('wanted');
  });

  test('no longer wait once they are released', async () => {
    const connections = setUp();
    await take(connections, 'abc');
    connections.release('a.example', 'c');
    expect(await take(connections, 'a')).toBe('granted');
  });

  test('of a dead worker no longer count or wait', async () => {
    const connections = setUp({ ttlMs: 300 });
    expect(await take(connections, 'abc')).toBe('granted granted refused');
    await sleep(2_400);
    expect(await take(connections, 'dea')).toBe('granted granted refused');
  });

  test('are counted again after Redis lost them', async () => {
    const prefix = `${testRedis().prefix}-${newId()}`;
    const connections = setUp({ prefix });
    await take(connections, 'ab');
    await redis.del(await redis.keys(`${prefix}:*`));
    expect(await take(connections, 'bac')).toBe('granted granted refused');
  });

  test('are granted without Redis', async () => {
    const away = createRedis({ url: 'redis://127.0.0.1:1', log });
    const connections = setUp({ redis: away, max: 1 });
    expect(await take(connections, 'ab')).toBe('granted granted');
    away.disconnect();
  });
});
