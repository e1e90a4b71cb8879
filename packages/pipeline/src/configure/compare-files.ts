import { createHash } from 'node:crypto';
import type { Configuration } from './configuration';
import { compareTexts, type Files, getEventFile } from './format-files';

/** SHA-256 by path. */
export type Digests = Readonly<Record<string, string>>;

/** A folder and an app when they were last equal. They have digests of their own, because references are only in a folder. */
export type Base = { folder: Digests; app: Digests };

export const emptyBase: Base = { folder: {}, app: {} };

export type FileChange = {
  file: string;
  kind: 'create' | 'change' | 'remove';
  /** The side that the change would overwrite is not the base any more. */
  isConflict: boolean;
};

/** The parts of a configuration that can be pushed alone. */
export const parts = ['app', 'categories', 'integrations', 'events', 'webhooks', 'alerts'] as const;
export type Part = (typeof parts)[number];

/** The files of some parts. */
export function selectParts<T>(files: ReadonlyMap<string, T>, selected: readonly Part[]) {
  return new Map([...files].filter(([file]) => selected.includes(getPart(file))));
}

export function getPart(file: string): Part {
  const [name] = file.split(/[./]/);
  return parts.find((part) => part === name) ?? 'app';
}

export function digestFiles(files: Files): Digests {
  return Object.fromEntries([...files].map(([file, text]) => [file, digest(text)]));
}

export type Compared = {
  from: Files;
  to: Files;
  /** Digests of `to` now. `base` has those of when both were last equal. */
  now: Digests;
  base: Digests;
};

/** The changes that make `to` equal to `from`, by path. */
export function compareFiles({ from, to, now, base }: Compared): FileChange[] {
  const paths = [...new Set([...from.keys(), ...to.keys()])].sort(compareTexts);
  return paths.flatMap((file): FileChange[] => {
    const [wanted, current] = [from.get(file), to.get(file)];
    if (wanted === current) return [];
    return [{ file, kind: getKind(wanted, current), isConflict: now[file] !== base[file] }];
  });
}

function getKind(wanted: string | undefined, current: string | undefined): FileChange['kind'] {
  if (current === undefined) return 'create';
  return wanted === undefined ? 'remove' : 'change';
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Events with a changed file. */
export function listChangedEvents(
  { events }: Configuration,
  changes: Iterable<FileChange>,
): Configuration['events'] {
  const folders = new Set([...changes].map(({ file }) => getFolder(file)));
  return events.filter(({ name }) => folders.has(getFolder(getEventFile(name))));
}

function getFolder(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1);
}
