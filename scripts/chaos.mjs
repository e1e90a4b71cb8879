// npm run chaos: the system under load and faults, and a verdict about what it promised.
//   npm run chaos -- --keys 3000 --seed 7 --report FILE   how many keys, which faults, where the report goes
//   npm run chaos -- --full                               a process a role
import { parseArgs } from 'node:util';
import { endOnSignals } from './commands.mjs';
import { explain } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const ending = new AbortController();
let running = Promise.resolve();
endOnSignals(async () => {
  ending.abort();
  await running.catch(() => {});
});
main().catch((error) => {
  // Whoever ended it does not ask why.
  if (!ending.signal.aborted) explain(error);
  process.exit(1);
});

async function main() {
  const options = readOptions();
  await ensureBuilt();
  const { runChaos, formatChaosReport } = await import('../packages/testing/dist/index.js');
  running = runChaos({ ...options, signal: ending.signal, onProgress: console.error });
  const report = await running;
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
    keys: wholeNumber('--keys', values.keys, 1_000_000),
    seed: wholeNumber('--seed', values.seed, 2 ** 31),
    isFull: values.full,
    ...(values.report ? { reportFile: values.report } : {}),
  };
}

function wholeNumber(name, text, most) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`${name} must be a whole number from 1 to ${most}, not "${text}"`);
}
