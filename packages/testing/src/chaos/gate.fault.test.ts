import { tableOf } from './report';
import { runChaos } from './run';

/** Several times what it takes: a run that gets nowhere ends by itself before. */
const timeoutMs = 1_200_000;
const ending = new AbortController();
let running: Promise<unknown> = Promise.resolve();

afterAll(async () => {
  ending.abort();
  await running;
}, timeoutMs);

test(
  'of 3,000 keys sent through 100 kills nothing is lost, doubled or left open',
  async () => {
    const run = runChaos({ keys: 3_000, seed: 11, signal: ending.signal });
    running = run.catch(() => undefined);
    const report = await run;
    process.stderr.write(`${tableOf(report)}\n`);
    expect(report.kills).toBeGreaterThanOrEqual(100);
    expect(report).toMatchObject({
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
