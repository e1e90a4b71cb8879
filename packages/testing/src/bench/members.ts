import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { repositoryRoot } from '../test-stores';

/** A measured process. */
export type BenchMember = {
  name: string;
  pid: number;
  /** For a server. */
  url: string;
  /** Where `/metrics` is; for gateways and workers. */
  metricsUrl: string;
  stop(): Promise<void>;
};

export type MemberOptions = {
  name: string;
  /** A path from the repository's root. */
  entry: string;
  /** The event that it logs when it is ready. */
  readyEvent: string;
  env: Record<string, string>;
  logFolder: string;
  /** Loaded before the entry. */
  preload?: string;
  /** Further options of Node, such as `--cpu-prof`. */
  nodeOptions?: string[];
};

const readyPollMs = 25;
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;

/** A built process of ours. It logs to a file, as in production. */
export async function startMember(options: MemberOptions): Promise<BenchMember> {
  const { name, entry, readyEvent, env, logFolder, preload, nodeOptions = [] } = options;
  const log = path.join(logFolder, `${name}-${Math.random().toString(36).slice(2, 8)}.log`);
  const file = openSync(log, 'w');
  const args = [...nodeOptions, ...(preload ? ['--require', preload] : [])];
  const child = spawn(process.execPath, [...args, path.join(repositoryRoot, entry)], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const ready = await waitUntilReady(child, log, readyEvent);
  return {
    name,
    pid: child.pid ?? 0,
    url: String(ready['url'] ?? ''),
    metricsUrl: String(ready['metrics_url'] ?? ready['url'] ?? ''),
    stop: () => stopChild(child),
  };
}

async function waitUntilReady(
  child: ChildProcess,
  log: string,
  event: string,
): Promise<Record<string, unknown>> {
  const deadline = performance.now() + readyTimeoutMs;
  while (performance.now() < deadline && child.exitCode === null) {
    const line = readFileSync(log, 'utf8')
      .split('\n')
      .find((each) => each.includes(`"${event}"`));
    if (line) return JSON.parse(line);
    await wait(readyPollMs);
  }
  child.kill('SIGKILL');
  throw new Error(`${event} was not logged:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
}

/** A process of the bench itself. It reports its port when it is ready. */
export async function startPart(
  name: string,
  file: string,
  args: string[],
): Promise<BenchMember & { child: ChildProcess }> {
  const child = fork(path.join(__dirname, file), args, { serialization: 'advanced' });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error(`${name} ended before it was ready`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return { name, pid: child.pid ?? 0, url, metricsUrl: '', child, stop: () => stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(timer);
}
