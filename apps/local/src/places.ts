import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './start-error';

/** Where everything of this checkout lies. */
export type Places = ReturnType<typeof openPlaces>;

export function openPlaces(root: string) {
  const home = path.join(root, '.belfry');
  const logs = path.join(home, 'logs');
  refuseOthersFiles(home);
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

/** A start as root leaves files that an ordinary user may not write: said once and plainly, not file by file. */
function refuseOthersFiles(home: string): void {
  const me = process.getuid?.();
  if (me === undefined || me === 0 || !existsSync(home)) return;
  const places = [home, ...readdirSync(home).map((name) => path.join(home, name))];
  const foreign = places.find((place) => statSync(place).uid !== me);
  if (foreign === undefined) return;
  throw new StartError(
    `${foreign} belongs to another user, perhaps because Belfry was started as root. ` +
      `Remove ${home} to begin anew, or take it over: sudo chown -R ${me} ${home}`,
  );
}
