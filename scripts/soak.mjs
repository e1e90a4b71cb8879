// npm run soak: very many sends through the sandbox; nothing may grow with them but what is stored.
//   npm run soak                     1,000,000 sends, more than ten minutes
//   npm run soak -- --sends 20000    fewer
//   npm run soak -- --report FILE    every sample as JSON
//   npm run soak -- --node 20        on another Node than the image's: a version or a path
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endOnSignals } from './commands.mjs';
import { imageNode, isRunOn } from './node-versions.mjs';
import { explain } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

/** A hundred million sends are not waited for. */
const longestMs = 24 * 60 * 60_000;

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
      sends: { type: 'string', default: '1000000' },
      report: { type: 'string' },
      node: { type: 'string', default: imageNode },
    },
  });
  if (await isRunOn(values.node, longestMs)) return;
  const sends = Number(values.sends);
  if (!Number.isInteger(sends) || sends < 1_000 || sends > 100_000_000) {
    throw new Error(`--sends must be a whole number from 1,000 on, not "${values.sends}"`);
  }
  await ensureBuilt();
  const { runSoak } = await import('../packages/testing/dist/index.js');
  running = runSoak({ sends, signal: ending.signal, onProgress: console.error });
  const report = await running;
  if (values.report) writeFileSync(values.report, `${JSON.stringify(report, undefined, 2)}\n`);
  for (const problem of report.problems) console.log(`✗ ${problem}`);
  console.log(
    `Soak: ${report.sends} sends in ${report.seconds} s, ${report.problems.length} problems`,
  );
  process.exitCode = report.isGood ? 0 : 1;
}
