// npm run bench: measures accepting and delivering, and compares them with hand-written baselines.
//   npm run bench                   all measurements but scale, pooler and retention, about 30 minutes on a quiet machine
//   npm run bench -- --quick        only those with a budget, within 5 minutes
//   npm run bench -- --only bulk    one part, or several separated by commas; writes results of scale, pooler and retention only
//                                   (--only pages fills 5,000,000 messages: about 12 GB of disk)
//   npm run bench -- --node 20      on another Node than the image's: a version or a path
// It starts its own PostgreSQL and Redis. It writes records to bench/results, and `npm run bench:docs` updates the docs.
import { parseArgs } from 'node:util';
import { runLong } from './long-run.mjs';
import { imageNode, rerunOnNode } from './node-versions.mjs';
import { StepError } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const minuteMs = 60_000;

runLong(main);

/** @param {import('./long-run.mjs').LongRun} run */
async function main({ ending, track }) {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      node: { type: 'string', default: imageNode },
    },
  });
  if (await rerunOnNode(values.node, 60 * minuteMs)) return;
  await ensureBuilt();
  const { benchParts, formatBenchTable, runBench } = await import(
    '../packages/testing/dist/index.js'
  );
  const names = values.only?.split(',');
  const only = names && benchParts.filter((part) => names.includes(part));
  const unknown = names?.find((name) => !benchParts.some((part) => part === name));
  if (unknown !== undefined) {
    throw new StepError(
      `--only must be one or more of ${benchParts.join(', ')} (got "${unknown}")`,
    );
  }
  const startedAtMs = performance.now();
  const onProgress = (line) => {
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
    console.error(`${String(seconds).padStart(4)} s  ${line}`);
  };
  const timer = setTimeout(
    () => {
      onProgress('time limit reached, so nothing is written: the machine is busy with other work');
      ending.abort();
    },
    (values.quick && !only ? 5 : 50) * minuteMs,
  );
  const report = await track(
    runBench({
      isQuick: values.quick,
      ...(only ? { only } : {}),
      signal: ending.signal,
      onProgress,
    }),
  );
  clearTimeout(timer);
  console.log(formatBenchTable(report));
}
