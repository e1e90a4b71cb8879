import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually';
import { createWorkspaceCopy } from '../workspace-copy';
import { call } from './http-call';

/** The content of `.belfry/ready.json`. */
export type Ready = {
  api_url: string;
  dashboard_url: string;
  set_up_url: string | null;
  api_key: string;
  app_id: string;
  event: string;
  database_url: string;
  redis_url: string;
  pids: Record<string, number>;
};

/** A fresh `npm start` in a built copy of the workspace: another test starts one that has to compile. */
export type LocalStart = {
  /** The folder of the copy. */
  readonly folder: string;
  readonly ready: Ready;
  /** All of its output. */
  output(): string;
  /** The process that runs a program now. The supervisor restarts one that ended. */
  findPid(program: 'api' | 'dashboard' | 'worker'): number;
  /** Resolves when gateway and dashboard answer: a successful attack may have ended them. */
  waitUntilUp(): Promise<void>;
  /** Runs `belfry` with these arguments; returns its output. */
  runCli(...args: string[]): Promise<string>;
  /** Stops it cleanly and starts it again in the same folder, with further settings. */
  restart(env?: Record<string, string>): Promise<void>;
  /** Stops it and removes the copy. */
  remove(): Promise<void>;
};

const readyTimeoutMs = 180_000;
const upTimeoutMs = 30_000;

export async function startLocal(env: Record<string, string> = {}): Promise<LocalStart> {
  const folder = createWorkspaceCopy({ build: true });
  // As in a checkout: Belfry itself must restrict access to its files.
  chmodSync(folder, 0o755);
  const readyFile = path.join(folder, '.belfry', 'ready.json');
  let running: Running | undefined;
  let ready: Ready;

  async function start(more: Record<string, string>): Promise<void> {
    running = launch(folder, { ...env, ...more });
    ready = await waitUntilReady(running, readyFile);
  }

  async function stop(): Promise<void> {
    if (running) await end(running.child);
  }

  async function remove(): Promise<void> {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }

  await start({}).catch(async (error: unknown) => {
    await remove();
    throw error;
  });

  return {
    folder,
    get ready() {
      return ready;
    },
    output: () => running?.output() ?? '',
    findPid: (program) => findPid(path.join(folder, '.belfry', 'run.json'), program),
    waitUntilUp: () =>
      eventually(
        async () => {
          for (const url of [ready.api_url, ready.dashboard_url]) await call(url, '/livez');
        },
        { timeoutMs: upTimeoutMs, intervalMs: 100 },
      ),
    async runCli(...args) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['apps/cli/dist/main.js', ...args],
        { cwd: folder, env: ownEnv() },
      );
      return stdout;
    },
    async restart(more = {}) {
      await stop();
      await start(more);
    },
    remove,
  };
}

/** `npm start` records each process that it starts, by the file of its command. */
function findPid(runFile: string, program: string): number {
  const { children } = JSON.parse(readFileSync(runFile, 'utf8')) as { children: Child[] };
  const child = children.find(({ command }) => command.includes(`apps/${program}/dist/`));
  if (!child) throw new Error(`npm start runs no ${program}`);
  return child.pid;
}

type Child = { pid: number; command: string };

type Running = { child: ChildProcess; output(): string };

function ownEnv(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
}

function launch(cwd: string, env: Record<string, string>): Running {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd,
    env: { ...ownEnv(), API_PORT: '0', DASHBOARD_PORT: '0', DEMO_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return { child, output: () => text };
}

function waitUntilReady({ child, output }: Running, file: string): Promise<Ready> {
  return eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`npm start ended:\n${output()}`);
      if (!existsSync(file)) throw new Error(`npm start is not ready:\n${output()}`);
      // Written by `npm start` in this shape.
      return JSON.parse(readFileSync(file, 'utf8')) as Ready;
    },
    { timeoutMs: readyTimeoutMs, intervalMs: 100 },
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
