// npm run bench: what accepting and delivering cost, beside what people write by hand.
//   npm run bench                   every line, about 20 minutes
//   npm run bench -- --quick        the lines of the gate, within 4 minutes
//   npm run bench -- --only bulk    one part, or several with commas between; nothing is written
//   npm run bench -- --node 20      on another Node than the image's: a version or a path
// It brings its own PostgreSQL and Redis. The figures go to bench/results/latest.json; `npm run bench:docs` shows them.
import { parseArgs } from 'node:util';
import { endOnSignals } from './commands.mjs';
import { imageNode, isRunOn } from './node-versions.mjs';
import { explain } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const minuteMs = 60_000;

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
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      node: { type: 'string', default: imageNode },
    },
  });
  if (await isRunOn(values.node, 30 * minuteMs)) return;
  await ensureBuilt();
  const { benchParts, formatBenchTable, runBench } = await import(
    '../packages/testing/dist/index.js'
  );
  const only = values.only?.split(',');
  const unknown = only?.find((part) => !benchParts.includes(part));
  if (unknown !== undefined) {
    throw new Error(`There is no part "${unknown}": it is one of ${benchParts.join(', ')}`);
  }
  const beganAtMs = performance.now();
  const tell = (line) => {
    const seconds = Math.round((performance.now() - beganAtMs) / 1_000);
    console.error(`${String(seconds).padStart(4)} s  ${line}`);
  };
  const timer = setTimeout(
    () => {
      tell('the run took too long, so nothing is written: other work holds this machine');
      ending.abort();
    },
    (values.quick ? 4 : 25) * minuteMs,
  );
  running = runBench({
    isQuick: values.quick,
    ...(only ? { only } : {}),
    signal: ending.signal,
    onProgress: tell,
  });
  const report = await running;
  clearTimeout(timer);
  console.log(formatBenchTable(report));
}
