// A step of npm run check: no source file has over 300 lines, as `wc -l` counts them. Biome's rule leaves out the lines inside
// JSX texts, template literals and comments, so a page of 410 lines passed it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './commands.mjs';

const maxLines = 300;
/** One method for each route of the dashboard. */
const exempt = 'apps/dashboard/src/web/api.ts';

const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs'];
const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
for (const file of files.filter(isJudged)) {
  const lines = readFileSync(path.join(root, file), 'utf8').split('\n').length - 1;
  if (lines <= maxLines) continue;
  console.error(`${file} has ${lines} lines (at most ${maxLines}): split it by subject.`);
  process.exitCode = 1;
}

/** A file that was deleted may still be listed. */
function isJudged(file) {
  const isSource = !/\.test\.ts$|\/generated\//.test(file) && file !== exempt;
  return isSource && existsSync(path.join(root, file));
}
