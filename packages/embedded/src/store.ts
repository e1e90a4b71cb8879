import { mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/** A server cannot start, for a reason that the user can fix. */
export class StoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreError';
  }
}

/** A server on loopback. `stop` ends it in order and can be called twice. */
export type RunningStore = {
  /** Includes the password, which no other user of this machine can read. */
  url: string;
  port: number;
  pid: number;
  /** Folder of its data: the given one, unless no ordinary user can access that. */
  folder: string;
  stop(): Promise<void>;
};

const maxLogBytes = 10_000_000;

/** The folder of one server, with links resolved, so that it can be compared with the path of a running server. */
export function openFolder(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return realpathSync(dataDir);
}

/** Servers only append to their log. A long one is renamed to `<name>.old` before the next start. */
export function rotateLog(folder: string, name: string): string {
  const file = path.join(folder, name);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > maxLogBytes) {
    rmSync(`${file}.old`, { force: true });
    renameSync(file, `${file}.old`);
  }
  return file;
}
