import { createLogger } from '@belfry/runtime';
import {
  createEnqueueDue,
  createRequeueLost,
  type EnqueueDueDeps,
  missingForMs,
} from './enqueue-due';

const log = createLogger({ level: 'error', process: 'test' });
const message = { appId: 'app', isBulk: false, integrationId: undefined };
const lostMessage = { ...message, id: 'm1', jobId: 'old-1' };
const presentMessage = { ...message, id: 'm2', jobId: 'old-2' };

/** Two messages were queued before; Redis still has the job of the second one. */
function setUp() {
  const replaced: unknown[] = [];
  const added: { jobId: string; ids: string[] }[] = [];
  const deps: EnqueueDueDeps = {
    enqueueDue: async () => undefined,
    publishCapacity: async () => undefined,
    listDoubted: async () => [lostMessage, presentMessage],
    async replaceJobs(jobs) {
      replaced.push(...jobs);
      return new Set(jobs.map(({ id }) => id));
    },
    queues: {
      async addDeliverJobs(jobs) {
        added.push(...jobs.map(({ jobId, ids }) => ({ jobId, ids })));
      },
      findJobs: async () => new Set(['old-2']),
    },
    newId: () => 'new',
    windows: { channel: 100, app: 100 },
    observeStage: () => {},
    log,
  };
  return { deps, replaced, added };
}

/** Checks twice, far enough apart for a job to count as lost. */
async function requeueTwice(deps: EnqueueDueDeps): Promise<void> {
  const requeueLost = createRequeueLost(deps);
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  await requeueLost('email', 0);
  clock.mockReturnValue(missingForMs);
  await requeueLost('email', 0);
  clock.mockRestore();
}

describe('a message whose job is lost from Redis', () => {
  // BullMQ silently drops a job whose id exists in any state, so the new job needs a new id.
  test('is requeued under a new id, without other messages', async () => {
    const { deps, replaced, added } = setUp();
    await requeueTwice(deps);
    expect(added).toEqual([{ jobId: 'new', ids: ['m1'] }]);
    expect(replaced).toEqual([{ id: 'm1', jobId: 'new', previousJobId: 'old-1' }]);
  });

  test('is left to the process that changed it first', async () => {
    const { deps, added } = setUp();
    await requeueTwice({ ...deps, replaceJobs: async () => new Set() });
    expect(added).toEqual([]);
  });
});

test('the wait of each message that the relay enqueues is observed', async () => {
  const observed: [string, number][] = [];
  const waiting = { ...message, channel: 'email' };
  const enqueueDue = createEnqueueDue({
    ...setUp().deps,
    async enqueueDue({ gather }) {
      const jobs = gather([
        { ...waiting, id: 'm1', waitedMs: 20 },
        { ...waiting, id: 'm2', waitedMs: 5 },
      ]);
      return { jobs, queued: [], next: undefined };
    },
    observeStage: (stage, ms) => observed.push([stage, ms]),
  });
  await enqueueDue();
  expect(observed).toEqual([
    ['relay', 20],
    ['relay', 5],
  ]);
});
