import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { type Identity, takeFolder } from './identity';
import { getBinaries, type PostgresBinaries } from './postgres-binaries';
import { writePrivately } from './private-files';
import type { Step } from './progress';
import { StoreError } from './store';

/** Where a server works, with what, and as whom. */
export type PostgresPlace = { folder: string; binaries: PostgresBinaries; as: Identity };

/** Kept over restarts. Everybody may enter it; the data folders in it are closed. */
const openHome = '/var/lib/belfry';
const everybodyMayEnter = 0o755;

/**
 * The folder itself, wherever an ordinary user can reach it and the binaries. As root, below a closed folder and where
 * user namespaces are forbidden (in most containers), both are copied to an open place; `elsewhere` in the folder names it.
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
  return step('copying it to where it may run', () => moveOut(folder, binaries, step));
}

/** Where the data of this folder lies, when it had to be moved out. */
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
  if (!as) throw new StoreError(`No ordinary user can reach ${openHome}: set DATABASE_URL instead`);
  writePrivately(path.join(folder, 'elsewhere'), `${place}\n`);
  return { folder: place, binaries, as };
}

/** Complete or not at all; nothing where there is nothing to copy, or where it was copied before. */
function copyOnce(from: string, to: string): void {
  if (!existsSync(from) || existsSync(to)) return;
  const temporaryCopy = `${to}.copy-${process.pid}`;
  cpSync(from, temporaryCopy, { recursive: true, verbatimSymlinks: true });
  renameSync(temporaryCopy, to);
}
