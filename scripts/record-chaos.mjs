// Writes reports of npm run chaos to bench/results/chaos-runs.md.
//   node scripts/record-chaos.mjs FILE...
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './commands.mjs';
import { printError, StepError } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

main().catch((error) => {
  printError(error);
  process.exitCode = 1;
});

async function main() {
  const files = process.argv.slice(2);
  if (files.length === 0)
    throw new StepError(
      'Pass the report files of npm run chaos: node scripts/record-chaos.mjs FILE...',
    );
  const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
  for (const [index, { isGood }] of reports.entries()) {
    if (!isGood)
      throw new StepError(
        `${files[index]} is the report of a failed run. Only successful runs can be recorded.`,
      );
  }
  await ensureBuilt();
  const { recordedRuns } = await import('../packages/testing/dist/index.js');
  const file = path.join(root, 'bench/results/chaos-runs.md');
  writeFileSync(
    file,
    `# The last recorded runs of \`npm run chaos\`\n\n${recordedRuns(reports)}\n`,
  );
  console.log(
    'Wrote bench/results/chaos-runs.md. Update the totals in docs/explanation/delivery-guarantees.md.',
  );
}
