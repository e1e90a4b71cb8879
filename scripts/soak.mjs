// npm run soak: sends many messages through the sandbox, and checks that only stored data grows.
//   npm run soak                     1,000,000 sends, more than 10 minutes
//   npm run soak -- --sends 20000    fewer sends
//   npm run soak -- --report FILE    writes every sample as JSON
//   npm run soak -- --node 20        on another Node than the image's: a version or a path
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readNumber, runLong } from './long-run.mjs';
import { imageNode, rerunOnNode } from './node-versions.mjs';
import { ensureBuilt } from './workspace.mjs';

/** Less than 100,000,000 sends would take. */
const longestMs = 24 * 60 * 60_000;

runLong(main);

/** @param {import('./long-run.mjs').LongRun} run */
async function main({ ending, track }) {
  const { values } = parseArgs({
    options: {
      sends: { type: 'string', default: '1000000' },
      report: { type: 'string' },
      node: { type: 'string', default: imageNode },
    },
  });
  if (await rerunOnNode(values.node, longestMs)) return;
  const sends = readNumber('--sends', values.sends, { min: 1_000, max: 100_000_000 });
  await ensureBuilt();
  const { runSoak } = await import('../packages/testing/dist/index.js');
  const report = await track(runSoak({ sends, signal: ending.signal, onProgress: console.error }));
  if (values.report) writeFileSync(values.report, `${JSON.stringify(report, undefined, 2)}\n`);
  for (const problem of report.problems) console.log(`✗ ${problem}`);
  console.log(
    `Soak: ${report.sends} sends in ${report.seconds} s, problems: ${report.problems.length}`,
  );
  process.exitCode = report.isGood ? 0 : 1;
}
