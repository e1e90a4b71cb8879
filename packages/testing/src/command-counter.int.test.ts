import { createLogger, createRedis, waitForRedis } from '@belfry/runtime';
import { createCommandCounter } from './command-counter';
import { testRedis } from './redis';

describe('a command counter', () => {
  test('reports each command of a client once and in order, and no command inside a script', async () => {
    const { url, prefix } = testRedis();
    const counter = await createCommandCounter(url);
    const log = createLogger({ level: 'error', process: 'test' });
    const redis = createRedis({ url: counter.url, log });
    await waitForRedis(redis, 5_000);
    const key = `${prefix}:counted`;
    const { commands, writes } = await counter.during(async () => {
      await redis.set(key, 'x'.repeat(200_000));
      await redis.eval("redis.call('GET', KEYS[1]) return redis.call('GET', KEYS[1])", 1, key);
      await redis.pipeline().get(key).del(key).exec();
    });
    redis.disconnect();
    await counter.close();
    expect(commands).toEqual(['SET', 'EVAL', 'GET', 'DEL']);
    expect(writes).toBeGreaterThanOrEqual(3);
  });
});
