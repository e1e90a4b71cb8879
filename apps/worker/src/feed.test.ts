import { createLogger } from '@belfry/runtime';
import { type FeedDeps, feedLost } from './feed';

const log = createLogger({ level: 'error', process: 'test' });
const lost = { id: 'm1', channel: 'email', isBulk: false, jobId: 'old-1' };
const kept = { id: 'm2', channel: 'email', isBulk: false, jobId: 'old-2' };

/** Two messages were queued before; Redis still has the job of the second. */
function createParts() {
  const assigned: unknown[] = [];
  const added: { jobId: string; ids: string[] }[] = [];
  const deps: FeedDeps = {
    listDue: async () => [lost, kept],
    async assignJobs(jobs) {
      assigned.push(...jobs);
      return new Set(jobs.map(({ id }) => id));
    },
    queues: {
      async addDeliverJobs(jobs) {
        added.push(...jobs.map(({ jobId, ids }) => ({ jobId, ids })));
      },
      findJobs: async () => new Set(['old-2']),
      countWaiting: async () => 0,
    },
    newId: () => 'new',
    channelWindow: 100,
    log,
  };
  return { deps, assigned, added };
}

describe('a message whose job is gone from Redis', () => {
  // Redis keeps a job's id for as long as the job exists in any state: the same id again would be dropped in silence.
  test('is queued again under a new id, and alone', async () => {
    const { deps, assigned, added } = createParts();
    await feedLost(deps, 'email', 0);
    expect(added).toEqual([{ jobId: 'new', ids: ['m1'] }]);
    expect(assigned).toEqual([{ id: 'm1', jobId: 'new', previousJobId: 'old-1' }]);
  });

  test('is left to whoever was faster', async () => {
    const { deps, added } = createParts();
    await feedLost({ ...deps, assignJobs: async () => new Set() }, 'email', 0);
    expect(added).toEqual([]);
  });
});
