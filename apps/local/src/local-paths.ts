import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type CloseOptions, closeFolder } from '@belfry/embedded';

/** Paths of all files of this checkout's run. */
export type LocalPaths = Awaited<ReturnType<typeof preparePaths>>;

const ownerOnly = 0o700;

export async function preparePaths(root: string, options: CloseOptions) {
  const home = path.join(root, '.belfry');
  const logs = path.join(home, 'logs');
  await closeFolder(home, options);
  mkdirSync(logs, { recursive: true });
  chmodSync(logs, ownerOnly);
  return {
    root,
    home,
    logs,
    postgres: path.join(home, 'postgres'),
    redis: path.join(home, 'redis'),
    cache: path.join(home, 'cache'),
    keys: path.join(home, 'keys'),
    /** Processes of this run or the previous one. */
    run: path.join(home, 'run.json'),
    ready: path.join(home, 'ready.json'),
    migrations: path.join(root, 'prisma', 'migrations'),
    program: (app: string, ...rest: string[]) => path.join(root, 'apps', app, 'dist', ...rest),
  };
}
