// npm run chaos: runs the system under load and faults, and checks its delivery guarantees.
//   npm run chaos -- --keys 3000 --seed 7 --report FILE   number of idempotency keys, random seed, report file
//   npm run chaos -- --full                               one process per role
import { parseArgs } from 'node:util';
import { endOnSignals } from './commands.mjs';
import { printError, StepError } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const ending = new AbortController();
/** @type {Promise<unknown>} */
let running = Promise.resolve();
endOnSignals(async () => {
  ending.abort();
  await running.catch(() => {});
});
main().catch((error) => {
  // After Ctrl-C the reader knows why it ended.
  if (!ending.signal.aborted) printError(error);
  process.exit(1);
});

async function main() {
  const options = readOptions();
  await ensureBuilt();
  const { runChaos, formatChaosReport } = await import('../packages/testing/dist/index.js');
  const run = runChaos({ ...options, signal: ending.signal, onProgress: console.error });
  running = run;
  const report = await run;
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
    keys: readNumber('--keys', values.keys, 1_000_000),
    seed: readNumber('--seed', values.seed, 2 ** 31),
    isFull: values.full,
    ...(values.report ? { reportFile: values.report } : {}),
  };
}

function readNumber(name, text, max) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new StepError(`${name} must be a whole number from 1 to ${max} (got "${text}")`);
}
