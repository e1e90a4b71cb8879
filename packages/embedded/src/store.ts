import { mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/** A store that cannot be started for a reason that the reader can do something about. */
export class StoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreError';
  }
}

/** A server that runs on loopback. `stop` ends it in order and may be called twice. */
export type RunningStore = {
  /** With the password, which nobody else on this machine knows. */
  url: string;
  port: number;
  pid: number;
  /** Where its data lies: the folder it was given, but for one that no ordinary user can reach. */
  folder: string;
  stop(): Promise<void>;
};

const maxLogBytes = 10_000_000;

/** The folder of one server, without links, so that it can be compared with what a running server names. */
export function openFolder(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return realpathSync(dataDir);
}

/** Servers only ever append to their log; a long one becomes `<name>.old` before the next start. */
export function rotateLog(folder: string, name: string): string {
  const file = path.join(folder, name);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > maxLogBytes) {
    rmSync(`${file}.old`, { force: true });
    renameSync(file, `${file}.old`);
  }
  return file;
}
