import { mkdirSync } from 'node:fs';
import path from 'node:path';

/** Where everything of this checkout lies. */
export type Places = ReturnType<typeof openPlaces>;

export function openPlaces(root: string) {
  const home = path.join(root, '.belfry');
  const logs = path.join(home, 'logs');
  mkdirSync(logs, { recursive: true });
  return {
    root,
    home,
    logs,
    postgres: path.join(home, 'postgres'),
    redis: path.join(home, 'redis'),
    cache: path.join(home, 'cache'),
    keys: path.join(home, 'keys'),
    /** Which processes this start, or the last one, has running. */
    run: path.join(home, 'run.json'),
    ready: path.join(home, 'ready.json'),
    migrations: path.join(root, 'prisma', 'migrations'),
    program: (app: string, ...rest: string[]) => path.join(root, 'apps', app, 'dist', ...rest),
  };
}
