// A step of npm run check: no source file has over 300 lines, as `wc -l` counts them. Biome's rule leaves out the lines inside
// JSX texts, template literals and comments, so a page of 410 lines passed it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './commands.mjs';

const maxLines = 300;
/** One method for each route of the dashboard. */
const exempt = 'apps/dashboard/src/web/api.ts';
const skipped = /\.test\.ts$|(?:^|\/)(?:node_modules|dist|generated|\.\w+)\//;

for (const folder of ['apps', 'packages', 'scripts']) {
  for (const name of readdirSync(path.join(root, folder), { recursive: true })) {
    const file = path.join(folder, String(name));
    if (!/\.(?:tsx?|mjs)$/.test(file) || skipped.test(file) || file === exempt) continue;
    const lines = readFileSync(path.join(root, file), 'utf8').split('\n').length - 1;
    if (lines <= maxLines) continue;
    console.error(`${file} has ${lines} lines (at most ${maxLines}): split it by subject.`);
    process.exitCode = 1;
  }
}
