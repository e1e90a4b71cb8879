// npm start: builds and runs everything on this machine. It needs only Node. Options: see `help`.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { fail, showProgress } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const startedAtMs = performance.now();

const help = `Usage: npm start -- [options]

Starts Belfry on this machine: PostgreSQL, Redis, the gateway, a worker and the dashboard.
The first start installs dependencies, builds Belfry and creates a demo app in sandbox delivery.

Options
  --processes   one worker process per role, as in production
  -h, --help    print this help

Environment variables
  API_HOST        listen address of the gateway (default 127.0.0.1)
  API_PORT        port of the gateway (default 4400; 0 picks a free port)
  DASHBOARD_PORT  port of the dashboard (default 4401; 0 picks a free port)
  DEMO_PORT       port of the inbox demo (default 4402; 0 picks a free port)
  DATABASE_URL    use this PostgreSQL instead of starting one
  REDIS_URL       use this Redis instead of starting one
  BELFRY_KEYS     key ring (default: created in .belfry/keys)
  NO_COLOR        print without colors
Other settings of docs/reference/configuration.md are passed on to the processes.

Exit codes
  0               stopped by Ctrl-C or SIGTERM
  1               failed to start, or a process exited too often
  78              cannot use the data folder, PostgreSQL or Redis; the message says what to do
  129, 130, 143   stopped by a signal while it was building

Example
  API_PORT=4500 DASHBOARD_PORT=4501 npm start -- --processes`;

if (process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h')) console.log(help);
else main().catch(fail);

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
    startedAtMs,
    isColored: process.stdout.isTTY === true && !process.env['NO_COLOR'],
    onProgress: showProgress,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  process.exit(code);
}

/** Removes the ready.json of a killed run before the build, so that no script mistakes it for this run's. */
function removeStaleReady() {
  const home = path.join(root, '.belfry');
  try {
    const { supervisor } = JSON.parse(readFileSync(path.join(home, 'run.json'), 'utf8'));
    process.kill(supervisor.pid, 0);
  } catch {
    // The process has ended, or there is no record.
    try {
      rmSync(path.join(home, 'ready.json'), { force: true });
    } catch {
      // The folder belongs to another user: the start reports it below.
    }
  }
}
