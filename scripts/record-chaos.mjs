// Writes what reports of npm run chaos say to docs/reliability.md.
//   node scripts/record-chaos.mjs FILE...
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './commands.mjs';
import { formatDocument } from './format-document.mjs';
import { explain } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const heading = '## Recorded runs\n';

main().catch((error) => {
  explain(error);
  process.exitCode = 1;
});

async function main() {
  const files = process.argv.slice(2);
  if (files.length === 0) throw new Error('Name the reports that npm run chaos wrote');
  const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
  for (const [index, { isGood }] of reports.entries()) {
    if (!isGood) throw new Error(`${files[index]} is the report of a run that broke something`);
  }
  await ensureBuilt();
  const { recordedRuns } = await import('../packages/testing/dist/index.js');
  const document = path.join(root, 'docs', 'reliability.md');
  const [before, after] = readFileSync(document, 'utf8').split(heading);
  if (after === undefined) throw new Error(`${document} has no "${heading.trim()}"`);
  writeFileSync(document, `${before}${heading}\n${recordedRuns(reports)}\n`);
  await formatDocument('docs/reliability.md');
}
