import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Variables } from './choices';
import { createLineSplitter } from './lines';
import { type LogFile, openLogFile } from './log-file';
import { StartError } from './start-error';

export type Program = {
  name: string;
  file: string;
  env: Variables;
  nodeOptions?: readonly string[];
};

export type ChildDeps = {
  logs: string;
  /** Called for each new process, before anything else. */
  onStarted(name: string, pid: number): Promise<void>;
  onLine(name: string, line: string): void;
  /** It exited unexpectedly and is restarted. */
  onRestart(name: string, how: string): void;
  /** It exited unexpectedly too often. */
  onLost(name: string): void;
  /** Aborted when the run ends: a program that is not ready by then is killed. */
  signal: AbortSignal;
};

export type Child = {
  readonly name: string;
  readonly pid: number;
  /** Sends SIGTERM, then SIGKILL after a timeout. */
  stop(): Promise<void>;
};

const readyTimeoutMs = 30_000;
const stopTimeoutMs = 12_000;
const restartWaitMs = 1_000;
const restartWindowMs = 60_000;
const maxRestarts = 5;
const shownLines = 15;

/** Starts a program and waits until it logs that it is ready; restarts it when it exits unexpectedly. */
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
    throw new StartError(
      `${name} ${ended} during startup. Its last output:\n${current.lastLines().join('\n')}`,
    );
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
  /** Resolves with undefined when it is ready, or with the reason why it is not. */
  ready: Promise<string | undefined>;
  /** Resolves with how it ended. */
  exited: Promise<string>;
  lastLines(): string[];
};

async function launch(program: Program, deps: ChildDeps, log: LogFile): Promise<Launched> {
  const { name, file, env, nodeOptions = [] } = program;
  // In its own session: Ctrl-C must reach only the supervisor, which stops everything in order.
  const child = spawn(process.execPath, [...nodeOptions, file], {
    cwd: path.dirname(file),
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not start (${error.message})`));
    child.once('close', (code, signal) => resolve(`exited (${signal ?? `code ${code}`})`));
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
