import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Variables } from './choices';
import { createLineSplitter } from './lines';
import { type LogFile, openLogFile } from './log-file';
import { StartError } from './start-error';

export type Program = { name: string; file: string; env: Variables };

export type ChildDeps = {
  logs: string;
  /** Told of every process that begins, before anything else happens with it. */
  onStarted(name: string, pid: number): Promise<void>;
  onLine(name: string, line: string): void;
  /** It ended by itself and is started again. */
  onRestart(name: string, how: string): void;
  /** It ended by itself too often. */
  onLost(name: string): void;
  /** Aborted when everything is to end: what is not ready by then never will be. */
  signal: AbortSignal;
};

export type Child = {
  readonly name: string;
  readonly pid: number;
  /** SIGTERM, then SIGKILL when it takes too long. */
  stop(): Promise<void>;
};

const readyTimeoutMs = 30_000;
const stopTimeoutMs = 12_000;
const restartWaitMs = 1_000;
const restartWindowMs = 60_000;
const maxRestarts = 5;
const shownLines = 15;

/** Starts a program of ours and waits until it says that it is ready; later it is started again when it ends. */
export async function startChild(program: Program, deps: ChildDeps): Promise<Child> {
  const { name } = program;
  const log = openLogFile(path.join(deps.logs, `${name}.log`));
  const restarts: number[] = [];
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let current = await launch(program, deps, log);
  const ended = await Promise.race([current.ready, current.exited, waitForAbort(deps.signal)]);
  if (ended !== undefined) {
    current.process.kill('SIGKILL');
    await current.exited;
    log.close();
    throw new StartError(`${name} ${ended} while it started:\n${current.lastLines().join('\n')}`);
  }
  watch();

  function watch(): void {
    void current.exited.then((how) => {
      if (isStopping) return;
      restarts.push(Date.now());
      const recent = restarts.filter((at) => at > Date.now() - restartWindowMs);
      if (recent.length > maxRestarts) return deps.onLost(name);
      deps.onRestart(name, how);
      timer = setTimeout(() => void restart(), restartWaitMs);
    });
  }

  async function restart(): Promise<void> {
    const next = await launch(program, deps, log);
    current = next;
    if (isStopping) next.process.kill('SIGTERM');
    watch();
  }

  return {
    name,
    get pid() {
      return current.process.pid ?? 0;
    },
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      const late = setTimeout(() => current.process.kill('SIGKILL'), stopTimeoutMs);
      current.process.kill('SIGTERM');
      await current.exited;
      clearTimeout(late);
      log.close();
    },
  };
}

function waitForAbort(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const stopped = () => resolve('was stopped');
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
  });
}

type Launched = {
  process: ChildProcess;
  /** Resolves with nothing once it said so, or with what kept it from it. */
  ready: Promise<string | undefined>;
  /** How it ended. */
  exited: Promise<string>;
  lastLines(): string[];
};

async function launch(program: Program, deps: ChildDeps, log: LogFile): Promise<Launched> {
  const { name, file, env } = program;
  // In a session of its own: Ctrl-C must reach only the supervisor, which ends everything in order.
  const child = spawn(process.execPath, [file], {
    cwd: path.dirname(file),
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started (${error.message})`));
    child.once('close', (code, signal) => resolve(`ended (${signal ?? `code ${code}`})`));
  });
  const last: string[] = [];
  const ready = new Promise<string | undefined>((resolve) => {
    const seconds = readyTimeoutMs / 1_000;
    const late = setTimeout(() => resolve(`was not ready after ${seconds} s`), readyTimeoutMs);
    function onLine(line: string): void {
      last.push(line);
      if (last.length > shownLines) last.shift();
      if (/"message":"\w+\.ready"/.test(line)) {
        clearTimeout(late);
        resolve(undefined);
      }
      deps.onLine(name, line);
    }
    void exited.then(() => clearTimeout(late));
    for (const stream of [child.stdout, child.stderr]) {
      const split = createLineSplitter(onLine);
      stream.on('data', (chunk: Buffer) => {
        log.append(chunk);
        split(chunk);
      });
    }
  });
  if (child.pid !== undefined) await deps.onStarted(name, child.pid);
  return { process: child, ready, exited, lastLines: () => last };
}
