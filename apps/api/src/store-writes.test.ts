import { AppError } from '@belfry/shared';
import { createStoreWrite } from './store-writes';

const options = { slots: 2, maxWaiting: 1, maxWaitMs: 100, now: () => 0 };

function failing(code?: string) {
  return () => Promise.reject(Object.assign(new Error('no'), code ? { code } : {}));
}

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('createStoreWrite', () => {
  test.each<[string, (() => Promise<never>) | undefined, string]>([
    ['a lost connection', failing('ECONNRESET'), '2'],
    ['a server shutdown', failing('57P01'), '2'],
    ['no free connection', failing(), '2'],
    ['a lock timeout', failing('55P03'), '1'],
    ['a statement timeout', failing('57014'), '1'],
    ['a deadlock', failing('40P01'), '1'],
    ['a full disk', failing('53100'), '1'],
  ])('refuses with 503 for %s', async (_, write, retryAfter) => {
    const refusal = createStoreWrite(options)(write!).catch((error: unknown) => error);
    expect(await refusal).toMatchObject({
      code: 'unavailable',
      headers: { 'Retry-After': retryAfter },
    });
  });

  test('rethrows bugs and refusals unchanged', async () => {
    const bug = Object.assign(new Error('syntax'), { code: '42601' });
    const refusal = new AppError('user_not_found', 'user not found');
    for (const error of [bug, refusal]) {
      await expect(createStoreWrite(options)(() => Promise.reject(error))).rejects.toBe(error);
    }
  });

  test('runs at most `slots` writes at once, and refuses when the queue is full', async () => {
    const storeWrite = createStoreWrite(options);
    const blocker = deferred();
    let running = 0;
    const write = async () => {
      running += 1;
      await blocker.promise;
    };
    const writes = [storeWrite(write), storeWrite(write), storeWrite(write)];
    await expect(storeWrite(write)).rejects.toMatchObject({ code: 'unavailable' });
    expect(running).toBe(2);
    blocker.resolve();
    await Promise.all(writes);
    await storeWrite(write);
    expect(running).toBe(4);
  });

  test('does not run a write that waited too long', async () => {
    let nowMs = 0;
    const storeWrite = createStoreWrite({ ...options, slots: 1, now: () => nowMs });
    const blocker = deferred();
    const first = storeWrite(() => blocker.promise);
    let isDone = false;
    const second = storeWrite(async () => {
      isDone = true;
    });
    nowMs = 101;
    blocker.resolve();
    const [, late] = await Promise.allSettled([first, second]);
    expect(late).toMatchObject({ reason: { code: 'unavailable' } });
    expect(isDone).toBe(false);
  });
});
