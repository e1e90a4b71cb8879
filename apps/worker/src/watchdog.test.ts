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
    progress: { jobsInHand: 0, progressAtMs: 0 },
    replaced: 0,
  };
  const watchdog = createWatchdog({
    queue: 'deliver-email',
    async hasOverdueWork() {
      if (world.isPostgresUnavailable) throw new Error('away');
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
  test('replaces a consumer that took nothing for 30 s while work waited, and says that it is stalled', async () => {
    const { world, watchdog, checkAt } = setUp();
    await checkAt(29_999);
    expect([world.replaced, watchdog.isStalled()]).toEqual([0, false]);
    await checkAt(30_000);
    expect([world.replaced, watchdog.isStalled()]).toEqual([1, true]);
  });

  test('gives the new consumer 30 s, and replaces it, too', async () => {
    const { world, checkAt } = setUp();
    await checkAt(30_000);
    await checkAt(59_999);
    expect(world.replaced).toBe(1);
    await checkAt(60_000);
    expect(world.replaced).toBe(2);
  });

  test.each([
    ['no work waits', { isOverdue: false }],
    ['PostgreSQL is away', { isPostgresUnavailable: true }],
    ['a job ended lately', { progress: { jobsInHand: 0, progressAtMs: 10_000 } }],
    ['a job is in hand that may take as long', { progress: { jobsInHand: 1, progressAtMs: 0 } }],
  ])('leaves it alone while %s', async (_what, change) => {
    const { world, watchdog, checkAt } = setUp();
    Object.assign(world, change);
    await checkAt(35_000);
    expect([world.replaced, watchdog.isStalled()]).toEqual([0, false]);
  });

  test('replaces it when the job in hand takes longer than any may', async () => {
    const { world, checkAt } = setUp();
    world.progress = { jobsInHand: 1, progressAtMs: 0 };
    await checkAt(longestJobMs);
    expect(world.replaced).toBe(1);
  });

  test('is ready again once a job begins or ends', async () => {
    const { world, watchdog, checkAt } = setUp();
    await checkAt(30_000);
    world.progress = { jobsInHand: 1, progressAtMs: 30_001 };
    expect(watchdog.isStalled()).toBe(false);
  });

  test('is ready again once no work waits, because another worker did it', async () => {
    const { world, watchdog, checkAt } = setUp();
    await checkAt(30_000);
    world.isOverdue = false;
    await checkAt(35_000);
    expect(watchdog.isStalled()).toBe(false);
  });

  test('replaces nothing any more once it was stopped', async () => {
    const { world, watchdog, checkAt } = setUp();
    watchdog.stop();
    await checkAt(60_000);
    expect(world.replaced).toBe(0);
  });
});
