// npm run check: checks the code and the documents without running the tests.
//   npm run check -- packages/x docs   lint only these paths; all other checks read the whole workspace
import { existsSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root, runTool } from './commands.mjs';
import { fail } from './steps.mjs';
import { ensureGenerated, ensureInstalled } from './workspace.mjs';

const timeoutMs = 180_000;
const lintedPaths = process.argv.slice(2);
const docsCheck = path.join(root, 'scripts', 'check-docs.mjs');

/** @type {{ name: string, tool: string, args: string[], isThere?: () => boolean }[]} */
const checks = [
  {
    name: 'format and lint (biome)',
    tool: '@biomejs/biome/bin/biome',
    args: ['check', '--error-on-warnings', ...lintedPaths],
  },
  {
    name: 'promises are awaited (oxlint)',
    tool: 'oxlint/bin/oxlint',
    args: lintedPaths.length > 0 ? lintedPaths : ['apps', 'packages'],
  },
  { name: 'types of the sources (tsc -b)', tool: 'typescript/bin/tsc', args: ['-b'] },
  {
    name: 'types of the tests (tsc)',
    tool: 'typescript/bin/tsc',
    args: ['-p', 'tsconfig.test.json'],
  },
  {
    name: 'types of the scripts (tsc)',
    tool: 'typescript/bin/tsc',
    args: ['-p', 'tsconfig.scripts.json'],
  },
  {
    name: 'types of the dashboard’s page (tsc)',
    tool: 'typescript/bin/tsc',
    args: ['-p', 'apps/dashboard/src/web'],
  },
  {
    name: 'types of the inbox and its tests (tsc)',
    tool: 'typescript/bin/tsc',
    args: ['-p', 'packages/inbox/tsconfig.test.json'],
  },
  {
    name: 'unused files, exports and dependencies (knip)',
    tool: 'knip/bin/knip.js',
    args: ['--no-progress'],
  },
  { name: 'duplicated code (jscpd)', tool: 'jscpd/run-jscpd.js', args: ['--fail-on-empty'] },
  { name: 'lines per file', tool: '../scripts/check-lines.mjs', args: [] },
  { name: 'names and sentences', tool: '../scripts/check-english.mjs', args: [] },
  {
    name: 'regular expressions (recheck)',
    tool: '../packages/testing/dist/patterns/check-main.js',
    args: [],
  },
  {
    name: 'documents',
    tool: '../scripts/check-docs.mjs',
    args: [],
    isThere: () => existsSync(docsCheck),
  },
];

endOnSignals();
main().catch(fail);

async function main() {
  await ensureInstalled();
  await ensureGenerated();
  const failed = [];
  for (const check of checks) {
    if (check.isThere?.() !== false && !(await passes(check))) failed.push(check.name);
  }
  console.log(failed.length === 0 ? 'Check: all good' : `Check: failed: ${failed.join('; ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

async function passes({ name, tool, args }) {
  const startedAt = performance.now();
  const { code, output, isLate } = await runTool(tool, args, { timeoutMs, env: { NO_COLOR: '1' } });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${code === 0 ? '✓' : '✗'} ${name}  ${seconds} s`);
  if (code !== 0) console.log(output.trim());
  if (isLate) console.log(`Timed out after ${timeoutMs / 1_000} s.`);
  return code === 0;
}
