// npm run soak: sends many messages through the sandbox, and checks that only stored data grows.
//   npm run soak                     1,000,000 sends, more than 10 minutes
//   npm run soak -- --sends 20000    fewer sends
//   npm run soak -- --report FILE    writes every sample as JSON
//   npm run soak -- --node 20        on another Node than the image's: a version or a path
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endOnSignals } from './commands.mjs';
import { imageNode, rerunOnNode } from './node-versions.mjs';
import { printError, StepError } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

/** Less than 100,000,000 sends would take. */
const longestMs = 24 * 60 * 60_000;

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
  const { values } = parseArgs({
    options: {
      sends: { type: 'string', default: '1000000' },
      report: { type: 'string' },
      node: { type: 'string', default: imageNode },
    },
  });
  if (await rerunOnNode(values.node, longestMs)) return;
  const sends = Number(values.sends);
  if (!Number.isInteger(sends) || sends < 1_000 || sends > 100_000_000) {
    throw new StepError(
      `--sends must be a whole number from 1,000 to 100,000,000 (got "${values.sends}")`,
    );
  }
  await ensureBuilt();
  const { runSoak } = await import('../packages/testing/dist/index.js');
  const run = runSoak({ sends, signal: ending.signal, onProgress: console.error });
  running = run;
  const report = await run;
  if (values.report) writeFileSync(values.report, `${JSON.stringify(report, undefined, 2)}\n`);
  for (const problem of report.problems) console.log(`✗ ${problem}`);
  console.log(
    `Soak: ${report.sends} sends in ${report.seconds} s, problems: ${report.problems.length}`,
  );
  process.exitCode = report.isGood ? 0 : 1;
}
