import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { hasCode } from './has-code';

/** A system account by uid and gid. */
export type Ids = { uid: number; gid: number };

const ownerOnly = 0o600;
const permissionsOfOthers = 0o077;
const passwordBytes = 24;

/** Writes atomically, readable only by its owner: `owner`, or this process's user. */
export function writePrivately(file: string, text: string, owner?: Ids): void {
  const temporaryFile = `${file}.new`;
  rmSync(temporaryFile, { force: true });
  // `wx` does not follow a link in place of the file.
  writeFileSync(temporaryFile, text, { mode: ownerOnly, flag: 'wx' });
  if (owner) lchownSync(temporaryFile, owner.uid, owner.gid);
  renameSync(temporaryFile, file);
}

/** Removes all permissions of a folder and its content except the owner's; `owner` becomes the owner. */
export function closeTree(place: string, owner?: Ids): void {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  // A running server may have removed it meanwhile. Links keep their owner, and so do their targets.
  if (!stats || stats.isSymbolicLink()) return;
  if (owner && (stats.uid !== owner.uid || stats.gid !== owner.gid)) {
    ignoreMissing(() => lchownSync(place, owner.uid, owner.gid));
  }
  if (stats.mode & permissionsOfOthers) {
    ignoreMissing(() => chmodSync(place, stats.mode & ~permissionsOfOthers));
  }
  if (!stats.isDirectory()) return;
  const names = ignoreMissing(() => readdirSync(place)) ?? [];
  for (const name of names) closeTree(path.join(place, name), owner);
}

function ignoreMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Hexadecimal, so that it needs no quoting in SQL, redis.conf or a URL. */
export function createPassword(): string {
  return randomBytes(passwordBytes).toString('hex');
}

export const getPasswordFile = (folder: string) => path.join(folder, 'password');

/** The password of the server in this folder; undefined for a server of an earlier version without one. */
export function readPassword(folder: string): string | undefined {
  return ignoreMissing(() => readFileSync(getPasswordFile(folder), 'utf8').trim()) || undefined;
}
