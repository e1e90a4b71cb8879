import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, createSemaphore } from '@belfry/runtime';
import { createDeliver } from './deliver';

describe('a delivery job', () => {
  test('fails only when all of its messages are done, so that shutdown waits for them', async () => {
    const done: string[] = [];
    const { deliver } = createDeliver({
      slots: createSemaphore(10),
      claims: {
        async add(id) {
          if (id === 'broken') throw new Error('no connection');
          await sleep(20);
          done.push(id);
          return { claim: { kind: 'stale' }, claimedAtMs: 0 };
        },
      },
      attempt: () => Promise.reject(new Error('nothing was claimed')),
      recorder: { record: async () => true },
      onIntegration: () => {},
      countMessage: () => {},
      backoff: { baseMs: 1, capMs: 1, random: () => 0 },
      log: createLogger({ level: 'error', process: 'test' }),
    });
    await expect(deliver({ ids: ['broken', 'slow'] })).rejects.toThrow('no connection');
    expect(done).toEqual(['slow']);
  });
});
