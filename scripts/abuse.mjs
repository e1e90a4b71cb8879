// npm run abuse: generated attacks on the built processes, and how long and how much they held.
//   npm run abuse -- --templates 5000 --seed 7   how many messages are searched, and which
//   npm run abuse -- --quick                     fewer of everything, without the reproductions
import { parseArgs } from 'node:util';
import { endOnSignals } from './commands.mjs';
import { explain } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const maxNumber = 2 ** 31;
const ending = new AbortController();
let running = Promise.resolve();
endOnSignals(async () => {
  ending.abort();
  await running.catch(() => {});
});
main().catch((error) => {
  if (!ending.signal.aborted) explain(error);
  process.exit(1);
});

async function main() {
  const options = readOptions();
  await ensureBuilt();
  const { formatAbuse, runAbuse } = await import('../packages/testing/dist/index.js');
  running = runAbuse({ ...options, signal: ending.signal, onProgress: console.error });
  const report = await running;
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
  throw new Error(`${name} must be a whole number from 1 to ${maxNumber} (got "${text}")`);
}
