// npm run abuse: attacks the built processes with generated inputs, and measures blocked time and memory growth.
//   npm run abuse -- --templates 5000 --seed 7   number of generated messages, and the random seed
//   npm run abuse -- --quick                     fewer inputs, without the reproductions
import { parseArgs } from 'node:util';
import { readNumber, runLong } from './long-run.mjs';
import { ensureBuilt } from './workspace.mjs';

runLong(main);

/** @param {import('./long-run.mjs').LongRun} run */
async function main({ ending, track }) {
  const options = readOptions();
  await ensureBuilt();
  const { formatAbuse, runAbuse } = await import('../packages/testing/dist/index.js');
  const report = await track(
    runAbuse({ ...options, signal: ending.signal, onProgress: console.error }),
  );
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
