import { createLogger, createRedis, newId, waitForRedis } from '@belfry/runtime';
import { createTcpProxy, eventually, testRedis } from '@belfry/testing';
import { createWakeRelay, listenToRelayWakes } from './wake-relay';

const log = createLogger({ level: 'error', process: 'test' });

test('a process wakes the relays of its installation, and announces many messages once', async () => {
  const { url } = testRedis();
  const redis = createRedis({ url, log });
  await waitForRedis(redis, 5_000);
  const [prefix, otherPrefix] = [newId(), newId()];
  const wakes = { ours: 0, other: 0 };
  const ours = listenToRelayWakes({ url, prefix, log }, () => (wakes.ours += 1));
  const other = listenToRelayWakes({ url, prefix: otherPrefix, log }, () => (wakes.other += 1));
  try {
    for (const each of [prefix, otherPrefix]) {
      await eventually(async () =>
        expect(await redis.pubsub('CHANNELS', `${each}:*`)).toHaveLength(1),
      );
    }
    const wakeRelay = createWakeRelay({ redis, prefix });
    for (let message = 0; message < 100; message += 1) wakeRelay();
    // Redis delivers in order, so a second message of ours would have arrived before this one.
    createWakeRelay({ redis, prefix: otherPrefix })();
    await eventually(() => expect(wakes.other).toBe(1));
    await eventually(() => expect(wakes.ours).toBe(1));
  } finally {
    ours.close();
    other.close();
    redis.disconnect();
  }
});

test('a relay whose subscription gets no answer after a reconnect subscribes again, and the process goes on', async () => {
  const { url } = testRedis();
  const proxy = await createTcpProxy(url);
  const redis = createRedis({ url, log });
  await waitForRedis(redis, 5_000);
  const unhandled: unknown[] = [];
  const record = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', record);
  const prefix = newId();
  let wakes = 0;
  const listener = listenToRelayWakes({ url: proxy.url, prefix, log }, () => (wakes += 1));
  const isListening = async () =>
    expect(await redis.pubsub('CHANNELS', `${prefix}:*`)).toHaveLength(1);
  try {
    await eventually(isListening);
    const held = proxy.intercept('answer_to', 'subscribe');
    proxy.cut();
    await held.reached;
    await eventually(async () => {
      createWakeRelay({ redis, prefix })();
      expect(wakes).toBeGreaterThan(0);
    });
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', record);
    listener.close();
    redis.disconnect();
    await proxy.close();
  }
});
