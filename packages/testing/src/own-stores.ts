import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  hasEnded,
  listBackends,
  type RunningStore,
  startPostgres,
  startRedis,
} from '@belfry/embedded';
import { repositoryRoot } from './test-stores';

/** A server for one test, which may kill, pause and restart it. Its URL stays the same. */
export type OwnStore = {
  readonly url: string;
  readonly pid: number;
  /** The folder of its data. */
  readonly folder: string;
  /** Stops it cleanly and keeps its data. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after `stop` or `kill`. */
  start(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  pause(): Promise<void>;
  resume(): void;
  /** Stops it and removes its data; for `afterAll`. */
  remove(): Promise<void>;
};

const killTimeoutMs = 10_000;

export function ownPostgres(): Promise<OwnStore> {
  return createOwnStore('postgres', (dataDir) => startPostgres({ dataDir }), listBackends);
}

export function ownRedis({ persistence = true } = {}): Promise<OwnStore> {
  const cacheDir = path.join(repositoryRoot, '.belfry', 'cache');
  const start = (dataDir: string) => startRedis({ dataDir, cacheDir, persistence });
  return createOwnStore('redis', start, async () => []);
}

async function createOwnStore(
  name: string,
  startIn: (dataDir: string) => Promise<RunningStore>,
  listChildren: (url: string) => Promise<number[]>,
): Promise<OwnStore> {
  // The test command passes a folder, and ends everything that a failed test leaves running in it.
  const parent = process.env['TEST_FOLDER'] ?? tmpdir();
  const folder = mkdtempSync(path.join(parent, `belfry-own-${name}-`));
  let running = await startIn(folder);
  const { url } = running;
  let paused: number[] = [];

  function resume() {
    for (const pid of paused) process.kill(pid, 'SIGCONT');
    paused = [];
  }

  return {
    url,
    get folder() {
      return running.folder;
    },
    get pid() {
      return running.pid;
    },
    stop: () => running.stop(),
    async kill() {
      resume();
      process.kill(running.pid, 'SIGKILL');
      if (!(await hasEnded(running.pid, killTimeoutMs)))
        throw new Error(`${name} outlived SIGKILL`);
    },
    async start() {
      running = await startIn(folder);
      if (running.url !== url) throw new Error(`The port of ${name} was taken: ${url}`);
    },
    async pause() {
      paused = [running.pid, ...(await listChildren(url))];
      for (const pid of paused) process.kill(pid, 'SIGSTOP');
    },
    resume,
    async remove() {
      resume();
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
