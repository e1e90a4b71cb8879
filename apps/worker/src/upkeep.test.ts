import type { UpkeepTask } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import { createUpkeep } from './upkeep';

const log = createLogger({ level: 'error', process: 'test' });
const database = { query: jest.fn() };

/** A task with that many chunks to remove. */
function taskOf(name: string, chunks: number, done: string[]): UpkeepTask {
  let left = chunks;
  return {
    name,
    async removeChunk() {
      left -= 1;
      done.push(name);
      return { removed: 1, mayBeMore: left > 0 };
    },
  };
}

function setUp(createTasks: () => UpkeepTask[], isLocked = false) {
  return createUpkeep({
    async withLock(work) {
      if (!isLocked) await work(database);
      return !isLocked;
    },
    createTasks,
    everyMs: 60_000,
    log,
  });
}

describe('createUpkeep', () => {
  test('does each task until nothing is left of it', async () => {
    const done: string[] = [];
    await setUp(() => [taskOf('a', 3, done), taskOf('b', 1, done)]).turn();
    expect(done).toEqual(['a', 'a', 'a', 'b']);
  });

  test('removes nothing while another process does', async () => {
    const done: string[] = [];
    await setUp(() => [taskOf('a', 3, done)], true).turn();
    expect(done).toEqual([]);
  });

  test('goes on with the next task when one fails', async () => {
    const done: string[] = [];
    const broken = { name: 'broken', removeChunk: () => Promise.reject(new Error('broken')) };
    await setUp(() => [broken, taskOf('b', 1, done)]).turn();
    expect(done).toEqual(['b']);
  });

  test('ends a turn that never ends by itself', async () => {
    const done: string[] = [];
    await setUp(() => [taskOf('a', Number.POSITIVE_INFINITY, done)]).turn();
    expect(done).toHaveLength(1_000);
  });

  test('begins no further chunk once it is closed', async () => {
    const done: string[] = [];
    const upkeep = setUp(() => [
      {
        name: 'a',
        async removeChunk() {
          done.push('a');
          await upkeep.close();
          return { removed: 1, mayBeMore: true };
        },
      },
      taskOf('b', 1, done),
    ]);
    await upkeep.turn();
    expect(done).toEqual(['a']);
  });
});
