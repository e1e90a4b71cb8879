// npm start: everything on this machine, from nothing but Node.
//   npm start                   one worker process with every role
//   npm start -- --processes    a process for each role, as in production
// Variables: API_PORT, DASHBOARD_PORT, DATABASE_URL, REDIS_URL, BELFRY_KEYS, NO_COLOR.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { fail, showProgress } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const begunAtMs = performance.now();

main().catch(fail);

async function main() {
  const release = endOnSignals();
  await ensureBuilt();
  release();
  const { runLocal } = await import('../apps/local/dist/main.js');
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const code = await runLocal({
    root,
    version,
    env: process.env,
    args: process.argv.slice(2),
    begunAtMs,
    isColored: process.stdout.isTTY === true && !process.env['NO_COLOR'],
    onProgress: showProgress,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  process.exit(code);
}
