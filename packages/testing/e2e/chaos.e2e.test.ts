import { runChaos } from '@belfry/testing';

/** Several times what it takes: a run that gets nowhere ends by itself before. */
const timeoutMs = 480_000;
const ending = new AbortController();
let running: Promise<unknown> = Promise.resolve();

afterAll(async () => {
  ending.abort();
  await running;
}, timeoutMs);

test(
  'of 500 keys sent through 20 kills nothing is lost, doubled or left open',
  async () => {
    const run = runChaos({ keys: 500, seed: 7, signal: ending.signal });
    running = run.catch(() => undefined);
    expect(await run).toMatchObject({
      violations: [],
      lost: 0,
      double_accepted: 0,
      unsettled: 0,
      unexplained_duplicates: 0,
      isGood: true,
    });
  },
  timeoutMs,
);
