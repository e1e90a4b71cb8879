import { createLogger, settings } from '@belfry/runtime';
import { appSettings } from '@belfry/shared';
import { createUpkeep, type UpkeepTask } from './retention';

const log = createLogger({ level: 'error', process: 'test' });
const database = { query: jest.fn() };

/** A task with this many chunks to remove. */
function createTask(name: string, chunks: number, removedChunks: string[]): UpkeepTask {
  let left = chunks;
  return {
    name,
    async removeChunk() {
      left -= 1;
      removedChunks.push(name);
      return { removed: 1, mayBeMore: left > 0 };
    },
  };
}

let nowMs: number;
let restsMs: number[];

beforeEach(() => {
  nowMs = 0;
  restsMs = [];
});

function setUp(createTasks: () => UpkeepTask[], isLocked = false) {
  return createUpkeep({
    now: () => nowMs,
    sleep: async (ms) => {
      restsMs.push(ms);
    },
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
  test('runs each task until nothing is left', async () => {
    const removedChunks: string[] = [];
    await setUp(() => [
      createTask('a', 3, removedChunks),
      createTask('b', 1, removedChunks),
    ]).runOnce();
    expect(removedChunks).toEqual(['a', 'a', 'a', 'b']);
  });

  test.each([
    ['four times as long as the chunk took', 50, 200],
    ['10 s at most', 60_000, 10_000],
  ])('rests after a chunk before the next one: %s', async (_what, tookMs, restMs) => {
    const task = createTask('a', 3, []);
    await setUp(() => [
      {
        name: 'slow',
        removeChunk(client) {
          nowMs += tookMs;
          return task.removeChunk(client);
        },
      },
    ]).runOnce();
    expect(restsMs).toEqual([restMs, restMs]);
  });

  test('removes nothing while another process does', async () => {
    const removedChunks: string[] = [];
    await setUp(() => [createTask('a', 3, removedChunks)], true).runOnce();
    expect(removedChunks).toEqual([]);
  });

  test('continues with the next task if one fails', async () => {
    const removedChunks: string[] = [];
    const brokenTask = { name: 'broken', removeChunk: () => Promise.reject(new Error('broken')) };
    await setUp(() => [brokenTask, createTask('b', 1, removedChunks)]).runOnce();
    expect(removedChunks).toEqual(['b']);
  });

  test('limits the chunks of a task that never ends', async () => {
    const removedChunks: string[] = [];
    await setUp(() => [createTask('a', Number.POSITIVE_INFINITY, removedChunks)]).runOnce();
    expect(removedChunks).toHaveLength(10_000);
  });

  test('starts no further chunk once it is closed', async () => {
    const removedChunks: string[] = [];
    const upkeep = setUp(() => [
      {
        name: 'a',
        async removeChunk() {
          removedChunks.push('a');
          await upkeep.close();
          return { removed: 1, mayBeMore: true };
        },
      },
      createTask('b', 1, removedChunks),
    ]);
    await upkeep.runOnce();
    expect(removedChunks).toEqual(['a']);
  });
});

// The supervisor of `npm start` reads settings and must not load the shared package, so the limits stand in both.
test('the retention of an app has the limits of RETENTION_DAYS', () => {
  const { minimum, maximum } = settings.RETENTION_DAYS;
  expect(appSettings.retentionDays).toMatchObject({ minimum, maximum });
});
