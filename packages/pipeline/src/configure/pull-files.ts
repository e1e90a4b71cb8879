import { inTransaction, type Queryable } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { type Base, compareFiles, digestFiles } from './compare-files';
import { channels, type Variables } from './configuration';
import { type Files, formatFiles } from './format-files';
import { parseFiles } from './parse-files';
import { type AppAddress, digestApp, readStoredApp, toConfiguration } from './read-app';

export type PullInput = AppAddress & {
  /** The files of the folder; none if it is new. */
  files: Files;
  base: Base;
  variables: Variables;
  /** Also replaces files that were edited since the last pull or push. */
  overwrite: boolean;
};

export type Pulled =
  | { state: 'conflict'; files: string[] }
  /** The text of each file to write; undefined for one to remove. */
  | { state: 'pulled'; writes: Map<string, string | undefined>; base: Base };

/**
 * The changes that a folder needs to be like the app. An edited file stays if the app has not changed there since. Throws
 * FileProblems for a folder that cannot be read.
 */
export async function pullFiles(
  { pool, secrets }: { pool: Queryable; secrets: Secrets },
  { files, base, variables, overwrite, ...app }: PullInput,
): Promise<Pulled> {
  const local = files.size === 0 ? undefined : parseFiles(files, channels);
  const stored = await inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    return readStoredApp(client, secrets, app);
  });
  const remote = formatFiles(toConfiguration(stored, local, variables));
  requireDistinctPaths(remote);
  const canonical: Files = local ? formatFiles(local) : new Map();
  const now = { folder: digestFiles(canonical), app: digestApp(stored) };
  const edited = compareFiles({ from: remote, to: canonical, now: now.folder, base: base.folder })
    .filter(({ isConflict }) => isConflict && !overwrite)
    .map(({ file }) => file);
  const conflicts = edited.filter((file) => now.app[file] !== base.app[file]);
  if (conflicts.length > 0) return { state: 'conflict', files: conflicts };
  const paths = [...new Set([...remote.keys(), ...files.keys()])];
  const writes = paths
    .filter((file) => !edited.includes(file) && files.get(file) !== remote.get(file))
    .map((file): [string, string | undefined] => [file, remote.get(file)]);
  const newBase = { folder: digestFiles(remote), app: now.app };
  return { state: 'pulled', writes: new Map(writes), base: newBase };
}

/** Bytes that a file system can hold in one name. */
const maxNameBytes = 240;

/** A file system may have no place for two names that differ only in case, or for a long one. */
function requireDistinctPaths(files: Files): void {
  const seen = new Map<string, string>();
  for (const file of files.keys()) {
    const first = seen.get(file.toLowerCase());
    if (first !== undefined) {
      throw new Error(`${first} and ${file} differ only in case. Rename one of them in the app.`);
    }
    seen.set(file.toLowerCase(), file);
    if (file.split('/').some((name) => name.length > maxNameBytes)) {
      throw new Error(`${file} is too long for a file. Use a shorter name in the app.`);
    }
  }
}
