import { judgeBacklog, judgeClock, judgeWorkers } from './examine-workers';

const worker = { id: 'host:1', roles: ['relay'], version: '0.1.0', beatSeconds: 3 };

describe('judgeWorkers', () => {
  test('finds a role that a living worker has', () => {
    expect(judgeWorkers(['relay'], [worker])).toEqual([
      { name: 'worker relay', state: 'ok', detail: 'host:1 (0.1.0)' },
    ]);
  });

  test('fails for a role that nobody has, and says how one is started', () => {
    expect(judgeWorkers(['fanout'], [worker])).toEqual([
      {
        name: 'worker fanout',
        state: 'failed',
        detail:
          'No process has this role. Start one: WORKER_ROLES=fanout node apps/worker/dist/main.js',
      },
    ]);
  });

  test('does not count a worker that beats no more, and says when it did', () => {
    const [finding] = judgeWorkers(['relay'], [{ ...worker, beatSeconds: 61.2 }]);
    expect(finding).toMatchObject({ state: 'failed', detail: expect.stringContaining('61 s ago') });
  });
});

describe('judgeBacklog', () => {
  test.each([
    [0, 'ok'],
    [59, 'ok'],
    [60, 'warning'],
  ])('after %i s is %s', (seconds, state) => {
    expect(judgeBacklog([{ channel: 'email', seconds }])).toMatchObject([
      { name: 'backlog email', state },
    ]);
  });
});

describe('judgeClock', () => {
  test.each([
    [0, 'ok'],
    [2_000, 'ok'],
    [2_001, 'warning'],
    [-2_001, 'warning'],
  ])('%i ms beside PostgreSQL is %s', (skewMs, state) => {
    expect(judgeClock(1_000_000 + skewMs, 1_000_000)).toMatchObject({ state });
  });
});
