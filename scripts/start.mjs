// npm start: everything on this machine, from nothing but Node.
//   npm start                   one worker process with every role
//   npm start -- --processes    a process for each role, as in production
// Variables: API_PORT, DASHBOARD_PORT, DATABASE_URL, REDIS_URL, BELFRY_KEYS, NO_COLOR.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { fail, showProgress } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const begunAtMs = performance.now();

main().catch(fail);

async function main() {
  removeStaleReady();
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

/** Nobody may take the word of a start that was killed, however long this one takes to build. */
function removeStaleReady() {
  const home = path.join(root, '.belfry');
  try {
    const { supervisor } = JSON.parse(readFileSync(path.join(home, 'run.json'), 'utf8'));
    process.kill(supervisor.pid, 0);
  } catch {
    // It is gone, or there was none.
    try {
      rmSync(path.join(home, 'ready.json'), { force: true });
    } catch {
      // The folder is another user's, which the start refuses below.
    }
  }
}
