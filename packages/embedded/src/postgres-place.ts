import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { type Identity, takeFolder } from './identity';
import { getBinaries, type PostgresBinaries } from './postgres-binaries';
import { writePrivately } from './private-files';
import type { Step } from './progress';
import { StoreError } from './store';

/** Folder, binaries and user of a server. */
export type PostgresPlace = { folder: string; binaries: PostgresBinaries; as: Identity };

/** Kept between restarts. Every user may enter it, but not the data folders in it. */
const openHome = '/var/lib/belfry';
const everybodyMayEnter = 0o755;

/**
 * The folder itself, if an ordinary user can reach it and the binaries. For root, this fails below a private folder if
 * user namespaces are forbidden, as in most containers. Then both are copied to a public location, and the file
 * `elsewhere` in the folder contains its path.
 */
export async function choosePlace(
  folder: string,
  binaries: PostgresBinaries,
  step: Step,
): Promise<PostgresPlace> {
  const as = await takeFolder(
    folder,
    { command: binaries.postgres },
    ['account', 'namespace'],
    step,
  );
  if (as) return { folder, binaries, as };
  return step('copying it to a folder where it can run', () => moveOut(folder, binaries, step));
}

/** Path of the data, if it was moved out of this folder. */
export function readElsewhere(folder: string): string | undefined {
  try {
    const place = readFileSync(path.join(folder, 'elsewhere'), 'utf8').trim();
    return existsSync(place) ? place : undefined;
  } catch {
    return undefined;
  }
}

async function moveOut(
  folder: string,
  { home, version }: PostgresBinaries,
  step: Step,
): Promise<PostgresPlace> {
  mkdirSync(openHome, { recursive: true, mode: everybodyMayEnter });
  const binaries = { ...getBinaries(path.join(openHome, `postgres-${version}`)), version };
  copyOnce(home, binaries.home);

  const place = readElsewhere(folder) ?? mkdtempSync(path.join(openHome, 'data-'));
  copyOnce(path.join(folder, 'data'), path.join(place, 'data'));
  const as = await takeFolder(place, { command: binaries.postgres }, ['account'], step);
  if (!as)
    throw new StoreError(`No ordinary user can access ${openHome}: set DATABASE_URL instead`);
  writePrivately(path.join(folder, 'elsewhere'), `${place}\n`);
  return { folder: place, binaries, as };
}

/** Copies atomically; does nothing if there is nothing to copy or the copy exists. */
function copyOnce(from: string, to: string): void {
  if (!existsSync(from) || existsSync(to)) return;
  const temporaryCopy = `${to}.copy-${process.pid}`;
  cpSync(from, temporaryCopy, { recursive: true, verbatimSymlinks: true });
  renameSync(temporaryCopy, to);
}
