// npm start: builds and runs everything on this machine. It needs only Node.
//   npm start                   one worker process with every role
//   npm start -- --processes    one process per role, as in production
// Environment variables: API_PORT, DASHBOARD_PORT, DATABASE_URL, REDIS_URL, BELFRY_KEYS, NO_COLOR.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { fail, showProgress } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const startedAtMs = performance.now();

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
    begunAtMs: startedAtMs,
    isColored: process.stdout.isTTY === true && !process.env['NO_COLOR'],
    onProgress: showProgress,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  process.exit(code);
}

/** Removes the ready file of a killed run, which would claim readiness while this run still builds. */
function removeStaleReady() {
  const home = path.join(root, '.belfry');
  try {
    const { supervisor } = JSON.parse(readFileSync(path.join(home, 'run.json'), 'utf8'));
    process.kill(supervisor.pid, 0);
  } catch {
    // No supervisor is running.
    try {
      rmSync(path.join(home, 'ready.json'), { force: true });
    } catch {
      // The folder belongs to another user. `runLocal` reports that.
    }
  }
}
