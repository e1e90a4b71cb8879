// npm run abuse: attacks the built processes with generated inputs, and measures blocked time and memory growth.
//   npm run abuse -- --templates 5000 --seed 7   number of generated messages, and the random seed
//   npm run abuse -- --quick                     fewer inputs, without the reproductions
import { parseArgs } from 'node:util';
import { endOnSignals } from './commands.mjs';
import { printError, StepError } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const maxNumber = 2 ** 31;
const ending = new AbortController();
/** @type {Promise<unknown>} */
let running = Promise.resolve();
endOnSignals(async () => {
  ending.abort();
  await running.catch(() => {});
});
main().catch((error) => {
  if (!ending.signal.aborted) printError(error);
  process.exit(1);
});

async function main() {
  const options = readOptions();
  await ensureBuilt();
  const { formatAbuse, runAbuse } = await import('../packages/testing/dist/index.js');
  const run = runAbuse({ ...options, signal: ending.signal, onProgress: console.error });
  running = run;
  const report = await run;
  console.log(formatAbuse(report));
  process.exitCode = report.isGood ? 0 : 1;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      templates: { type: 'string' },
      seed: { type: 'string', default: '1' },
      quick: { type: 'boolean', default: false },
    },
  });
  return {
    templates: readNumber('--templates', values.templates ?? (values.quick ? '200' : '2000')),
    seed: readNumber('--seed', values.seed),
    isQuick: values.quick,
  };
}

function readNumber(name, text) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= maxNumber) return number;
  throw new StepError(`${name} must be a whole number from 1 to ${maxNumber} (got "${text}")`);
}
