// npm run bench:docs: publishes the records in bench/results. All tables of a full run's latest.json go to bench/results/full-run.md,
// the summary to docs/explanation/performance.md, the charts of a full run beside that page. The tables of scale.json and pooler.json go
// to the same page, what the costs mean for machines to docs/how-to/scale.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { formatDocument } from './format-document.mjs';
import { fail } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const page = 'docs/explanation/performance.md';
const scalePage = 'docs/how-to/scale.md';
const chartsFolder = path.join(root, 'docs/explanation/charts');
const endMark = '<!-- end of what was measured -->';

endOnSignals();
main().catch(fail);

async function main() {
  await ensureBuilt();
  const { buildCapacityTable, buildPerformancePage, ownTables } = await import(
    '../packages/testing/dist/index.js'
  );
  for (const [part, buildTable] of Object.entries(ownTables)) {
    const table = buildTable(readRecord(`${part}.json`));
    await replace(page, `measured by npm run bench -- --only ${part}`, table);
  }
  const scale = readRecord('scale.json');
  await replace(scalePage, 'computed by npm run bench:docs', buildCapacityTable(scale));
  const report = readRecord('latest.json');
  if (report.isQuick)
    return console.log('latest.json is of a quick run: the tables of the full run stay.');
  const { text, charts } = buildPerformancePage(report);
  mkdirSync(chartsFolder, { recursive: true });
  for (const [name, svg] of Object.entries(charts)) {
    writeFileSync(path.join(chartsFolder, name), svg);
  }
  writeRecord(text);
  await replace(page, 'measured by npm run bench', summarize(text));
}

function readRecord(name) {
  return JSON.parse(readFileSync(path.join(root, 'bench/results', name), 'utf8'));
}

/** Replaces what a document has between two marks. */
async function replace(document, name, text) {
  const file = path.join(root, document);
  const mark = `<!-- ${name} -->`;
  const [before, rest] = split(document, readFileSync(file, 'utf8'), mark);
  const [, after] = split(document, rest, endMark);
  writeFileSync(file, `${before}${mark}\n\n${text}\n\n${endMark}${after}`);
  await formatDocument(document);
}

function writeRecord(text) {
  const linked = text.replaceAll('](charts/', '](../../docs/explanation/charts/');
  const file = path.join(root, 'bench/results/full-run.md');
  writeFileSync(file, `# The last run of \`npm run bench\`\n\n${linked}\n`);
}

/** The description of the run, the goals and the charts. */
function summarize(text) {
  const [description, goals = ''] = text.split(/\n\n(?=### )/);
  return `${description}\n\n${goals}`;
}

function split(document, text, mark) {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`${document} has no line "${mark}"`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
