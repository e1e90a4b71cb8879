// npm run bench:docs: publishes bench/results/latest.json. All tables go to bench/results/full-run.md or quick-run.md, the
// summary to docs/explanation/performance.md, the charts of a full run beside that page.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { formatDocument } from './format-document.mjs';
import { fail } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const page = path.join(root, 'docs/explanation/performance.md');
const chartsFolder = path.join(root, 'docs/explanation/charts');
const endMark = '<!-- end of what was measured -->';

endOnSignals();
main().catch(fail);

async function main() {
  await ensureBuilt();
  const { buildPerformancePage } = await import('../packages/testing/dist/index.js');
  const report = JSON.parse(readFileSync(path.join(root, 'bench/results/latest.json'), 'utf8'));
  const { text, charts } = buildPerformancePage(report);
  mkdirSync(chartsFolder, { recursive: true });
  for (const [name, svg] of Object.entries(charts)) {
    writeFileSync(path.join(chartsFolder, name), svg);
  }
  writeRecord(report, text);
  const mark = `<!-- measured by npm run bench${report.isQuick ? ' -- --quick' : ''} -->`;
  const [before, rest] = split(readFileSync(page, 'utf8'), mark);
  const [, after] = split(rest, endMark);
  writeFileSync(page, `${before}${mark}\n\n${summarize(text)}\n\n${endMark}${after}`);
  await formatDocument('docs/explanation/performance.md');
}

function writeRecord({ isQuick }, text) {
  const name = isQuick ? 'quick-run.md' : 'full-run.md';
  const title = `# The last run of \`npm run bench${isQuick ? ' -- --quick' : ''}\``;
  const linked = text.replaceAll('](charts/', '](../../docs/explanation/charts/');
  writeFileSync(path.join(root, 'bench/results', name), `${title}\n\n${linked}\n`);
}

/** The description of the run, the goals, and the charts of a full run. */
function summarize(text) {
  const [description, goals = ''] = text.split(/\n\n(?=### )/);
  return `${description}\n\n${goals}`;
}

function split(text, mark) {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/explanation/performance.md has no line "${mark}"`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
