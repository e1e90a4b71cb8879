import { formatChaosReport, type Report } from './report';
import { runChaos } from './run';

/** A chaos run as a test: it ends with the test, and must violate no guarantee. */
export function testLosslessRun(
  name: string,
  {
    keys,
    seed,
    kills,
    timeoutMs,
  }: { keys: number; seed: number; kills: number; timeoutMs: number },
): void {
  const ending = new AbortController();
  let running: Promise<unknown> = Promise.resolve();

  afterAll(async () => {
    ending.abort();
    await running;
  }, timeoutMs);

  test(
    name,
    async () => {
      const run: Promise<Report> = runChaos({ keys, seed, signal: ending.signal });
      running = run.catch(() => undefined);
      const report = await run;
      process.stderr.write(`${formatChaosReport(report)}\n`);
      expect(report.kills).toBeGreaterThanOrEqual(kills);
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
}
