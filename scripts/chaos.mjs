// npm run chaos: runs the system under load and faults, and checks its delivery guarantees.
//   npm run chaos -- --keys 3000 --seed 7 --report FILE   number of idempotency keys, random seed, report file
//   npm run chaos -- --full                               one process per role
import { parseArgs } from 'node:util';
import { readNumber, runLong } from './long-run.mjs';
import { ensureBuilt } from './workspace.mjs';

runLong(main);

/** @param {import('./long-run.mjs').LongRun} run */
async function main({ ending, track }) {
  const options = readOptions();
  await ensureBuilt();
  const { runChaos, formatChaosReport } = await import('../packages/testing/dist/index.js');
  const report = await track(
    runChaos({ ...options, signal: ending.signal, onProgress: console.error }),
  );
  console.log(formatChaosReport(report));
  process.exitCode = report.isGood ? 0 : 1;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      keys: { type: 'string', default: '3000' },
      seed: { type: 'string', default: '1' },
      report: { type: 'string' },
      full: { type: 'boolean', default: false },
    },
  });
  return {
    keys: readNumber('--keys', values.keys, { max: 1_000_000 }),
    seed: readNumber('--seed', values.seed),
    isFull: values.full,
    ...(values.report ? { reportFile: values.report } : {}),
  };
}
