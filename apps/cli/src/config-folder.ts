import { lstat, mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Base, FileProblems, formatJson } from '@belfry/pipeline/configure';

/** A folder as it is on disk. */
export type Folder = {
  /** Text by path, with `/` on every system. */
  files: Map<string, string>;
  /** By ID of an app. */
  bases: Record<string, Base>;
};

const baseFile = 'base.json';
const folders = ['integrations', 'events'];
const maxFiles = 25_000;
const maxFileBytes = 1024 * 1024;

/** Reads the files of a configuration. A folder that does not exist is empty. Throws FileProblems. */
export async function readFolder(root: string): Promise<Folder> {
  const paths = await listFiles(root);
  if (paths.length > maxFiles) {
    throw new Error(`${root} must have at most ${maxFiles.toLocaleString('en-US')} files.`);
  }
  const files = new Map<string, string>();
  for (const file of paths) files.set(file, await readText(root, file));
  const base = files.get(baseFile);
  files.delete(baseFile);
  return { files, bases: base === undefined ? {} : parseBases(base) };
}

/** The text of each file; undefined removes it. Writes the base last, so that an interrupted pull is repeated. */
export async function writeFolder(
  root: string,
  writes: ReadonlyMap<string, string | undefined>,
  bases: Record<string, Base>,
): Promise<void> {
  for (const [file, text] of writes) {
    const target = path.join(root, file);
    if (text === undefined) await removeFile(root, file);
    else {
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    }
  }
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, baseFile), formatJson(bases));
}

async function removeFile(root: string, file: string): Promise<void> {
  await rm(path.join(root, file));
  const folder = path.posix.dirname(file);
  // Fails while the folder has other files.
  if (folder !== '.') await rmdir(path.join(root, folder)).catch(() => undefined);
}

/** JSON files at the top, and everything in the folders of integrations and events. Hidden files are skipped. */
async function listFiles(root: string): Promise<string[]> {
  const top = await listEntries(root, '');
  const inFolders = await Promise.all(
    folders.filter((name) => top.folders.includes(name)).map((name) => listTree(root, name)),
  );
  return [...top.files.filter((name) => name.endsWith('.json')), ...inFolders.flat()];
}

async function listTree(root: string, folder: string): Promise<string[]> {
  const { files, folders: inner } = await listEntries(root, folder);
  const paths = files.map((name) => `${folder}/${name}`);
  for (const name of inner) paths.push(...(await listTree(root, `${folder}/${name}`)));
  return paths;
}

async function listEntries(root: string, folder: string) {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(
    (error: unknown) => {
      if (folder === '' && isMissing(error)) return [];
      throw error;
    },
  );
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  return {
    files: visible.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
    folders: visible.filter((entry) => entry.isDirectory()).map(({ name }) => name),
  };
}

function isMissing(error: unknown): boolean {
  return isObject(error) && error['code'] === 'ENOENT';
}

/** A link could lead to a file outside of the folder, and so is refused. */
async function readText(root: string, file: string): Promise<string> {
  const target = path.join(root, file);
  const facts = await lstat(target);
  if (!facts.isFile()) throw new FileProblems([{ file, problem: 'must be a regular file' }]);
  if (facts.size > maxFileBytes) {
    throw new FileProblems([{ file, problem: 'must have at most 1 MB' }]);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      await readFile(target),
    );
  } catch {
    throw new FileProblems([{ file, problem: 'must be UTF-8' }]);
  }
}

function parseBases(text: string): Record<string, Base> {
  const bases = parse(text);
  const isDigests = (value: unknown) =>
    isObject(value) && Object.values(value).every((digest) => typeof digest === 'string');
  const isBase = (value: unknown) =>
    isObject(value) && isDigests(value['folder']) && isDigests(value['app']);
  if (!isObject(bases) || !Object.values(bases).every(isBase)) {
    const problem =
      'is not what `belfry config` wrote. Restore it, or delete it and compare with `belfry config diff`.';
    throw new FileProblems([{ file: baseFile, problem }]);
  }
  // Safe cast: checked above.
  return bases as Record<string, Base>;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
