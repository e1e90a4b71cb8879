// npm run bench:docs: writes a measured part of docs/performance.md from bench/results/latest.json: that of quick runs, or that
// of whole runs with its charts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { formatDocument } from './format-document.mjs';
import { fail } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const page = path.join(root, 'docs/performance.md');
const endMark = '<!-- end of what was measured -->';

endOnSignals();
main().catch(fail);

async function main() {
  await ensureBuilt();
  const { buildPerformancePage } = await import('../packages/testing/dist/index.js');
  const report = JSON.parse(readFileSync(path.join(root, 'bench/results/latest.json'), 'utf8'));
  const { text, charts } = buildPerformancePage(report);
  mkdirSync(path.join(root, 'docs/charts'), { recursive: true });
  for (const [name, svg] of Object.entries(charts)) {
    writeFileSync(path.join(root, 'docs/charts', name), svg);
  }
  const mark = `<!-- measured by npm run bench${report.isQuick ? ' -- --quick' : ''} -->`;
  const [before, rest] = split(readFileSync(page, 'utf8'), mark);
  const [, after] = split(rest, endMark);
  writeFileSync(page, `${before}${mark}\n\n${text}\n\n${endMark}${after}`);
  await formatDocument('docs/performance.md');
}

function split(text, mark) {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/performance.md has no line "${mark}"`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
