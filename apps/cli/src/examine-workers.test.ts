import { judgeBacklog, judgeLag, judgeWorkers } from './examine-workers';

const worker = { id: 'host:1', roles: ['relay'], version: '0.1.0', heartbeatSeconds: 3 };

describe('judgeWorkers', () => {
  test('reports a live worker of a role', () => {
    expect(judgeWorkers(['relay'], [worker])).toEqual([
      { name: 'worker relay', state: 'ok', detail: 'host:1 (0.1.0)' },
    ]);
  });

  test('fails for a role without a worker and prints how to start one', () => {
    expect(judgeWorkers(['fanout'], [worker])).toEqual([
      {
        name: 'worker fanout',
        state: 'failed',
        detail:
          'No live worker has this role. Start one: WORKER_ROLES=fanout node apps/worker/dist/main.js',
      },
    ]);
  });

  test('ignores a worker whose heartbeats stopped and reports the age of the last one', () => {
    const [finding] = judgeWorkers(['relay'], [{ ...worker, heartbeatSeconds: 61.2 }]);
    expect(finding).toMatchObject({ state: 'failed', detail: expect.stringContaining('61 s ago') });
  });
});

describe('judgeBacklog', () => {
  test.each([
    [0, 'ok'],
    [59, 'ok'],
    [60, 'warning'],
  ])('a backlog of %i s is %s', (seconds, state) => {
    expect(judgeBacklog([{ channel: 'email', seconds }])).toMatchObject([
      { name: 'backlog email', state },
    ]);
  });
});

describe('judgeLag', () => {
  test.each([
    [0, 'ok', 'replica:5432 has everything.'],
    [12_040, 'ok', 'replica:5432 is 12.0 s behind.'],
    [60_000, 'warning', 'replica:5432 is 60.0 s behind.'],
  ])('names the replica and a lag of %i ms', (lagMs, state, detail) => {
    expect(judgeLag('replica:5432', lagMs)).toMatchObject({
      state,
      detail: expect.stringContaining(detail),
    });
  });
});
