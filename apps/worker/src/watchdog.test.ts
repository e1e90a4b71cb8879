import { createLogger } from '@belfry/runtime';
import { createWatchdog } from './watchdog';

const log = createLogger({ level: 'error', process: 'test' });
log.error = () => undefined;
const longestJobMs = 45_000;

function setUp() {
  const world = {
    nowMs: 0,
    isOverdue: true,
    isPostgresUnavailable: false,
    progress: { runningJobs: 0, progressAtMs: 0 },
    replaced: 0,
  };
  const watchdog = createWatchdog({
    queue: 'deliver-email',
    async hasOverdueWork() {
      if (world.isPostgresUnavailable) throw new Error('unavailable');
      return world.isOverdue;
    },
    readProgress: () => world.progress,
    longestJobMs,
    replace() {
      world.replaced += 1;
    },
    now: () => world.nowMs,
    log,
  });
  async function checkAt(nowMs: number): Promise<void> {
    world.nowMs = nowMs;
    await watchdog.check();
  }
  return { world, watchdog, checkAt };
}

describe('createWatchdog', () => {
  test('replaces a consumer that took no job for 30 s while work waited, and reports it as stalled', async () => {
    const { world, watchdog, checkAt } = setUp();
    await checkAt(29_999);
    expect([world.replaced, watchdog.isStalled()]).toEqual([0, false]);
    await checkAt(30_000);
    expect([world.replaced, watchdog.isStalled()]).toEqual([1, true]);
  });

  test('replaces the new consumer after another 30 s', async () => {
    const { world, checkAt } = setUp();
    await checkAt(30_000);
    await checkAt(59_999);
    expect(world.replaced).toBe(1);
    await checkAt(60_000);
    expect(world.replaced).toBe(2);
  });

  test.each([
    ['no work waits', { isOverdue: false }],
    ['PostgreSQL is unavailable', { isPostgresUnavailable: true }],
    ['a job ended less than 30 s ago', { progress: { runningJobs: 0, progressAtMs: 10_000 } }],
    ['a running job is within its time limit', { progress: { runningJobs: 1, progressAtMs: 0 } }],
  ])('keeps the consumer while %s', async (_title, change) => {
    const { world, watchdog, checkAt } = setUp();
    Object.assign(world, change);
    await checkAt(35_000);
    expect([world.replaced, watchdog.isStalled()]).toEqual([0, false]);
  });

  test('replaces a consumer whose running job exceeds the time limit', async () => {
    const { world, checkAt } = setUp();
    world.progress = { runningJobs: 1, progressAtMs: 0 };
    await checkAt(longestJobMs);
    expect(world.replaced).toBe(1);
  });

  test('recovers once a job starts or ends', async () => {
    const { world, watchdog, checkAt } = setUp();
    await checkAt(30_000);
    world.progress = { runningJobs: 1, progressAtMs: 30_001 };
    expect(watchdog.isStalled()).toBe(false);
  });

  test('recovers once no work waits because another worker did it', async () => {
    const { world, watchdog, checkAt } = setUp();
    await checkAt(30_000);
    world.isOverdue = false;
    await checkAt(35_000);
    expect(watchdog.isStalled()).toBe(false);
  });

  test('replaces nothing after it was stopped', async () => {
    const { world, watchdog, checkAt } = setUp();
    watchdog.stop();
    await checkAt(60_000);
    expect(world.replaced).toBe(0);
  });
});
