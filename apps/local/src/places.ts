import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { closeFolder, type OnProgress, StoreError } from '@belfry/embedded';

/** Where everything of this checkout lies. */
export type Places = Awaited<ReturnType<typeof openPlaces>>;

const ownerOnly = 0o700;

export async function openPlaces(root: string, onProgress: OnProgress) {
  const home = path.join(root, '.belfry');
  const logs = path.join(home, 'logs');
  refuseOthersFiles(home);
  await closeFolder(home, onProgress);
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
  const isForeign = (place: string) => statSync(place).uid !== me;
  const listContent = () => readdirSync(home).map((name) => path.join(home, name));
  const foreign = isForeign(home) ? home : listContent().find(isForeign);
  if (foreign === undefined) return;
  throw new StoreError(
    `${foreign} belongs to another user, perhaps because Belfry was started as root. ` +
      `To start anew: sudo rm -rf ${home}. To keep its data: sudo chown -R ${me} ${home}`,
  );
}
