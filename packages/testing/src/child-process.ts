import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryRoot } from './test-stores';

export type LogLine = { message: string; [field: string]: unknown };

/** A built process of ours, started and stopped by a test. */
export type TestProcess = {
  readonly pid: number;
  /** Its complete output in order, to search for forbidden text. */
  readonly output: string[];
  readonly lines: LogLine[];
  /** The first line with that event, also one that was written before. */
  waitForLine(event: string): Promise<LogLine>;
  /** Resolves when it has ended for any reason, without a time limit: the exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  /** Its exit code once it ended without a request; null after a signal. */
  waitForEnd(): Promise<number | null>;
  /** Ends it and waits until it is gone; its exit code, null after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
};

/** Loading a process is slow on a machine that runs other tests; nothing is measured here. */
const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;

type StartOptions = {
  node?: string;
  nodeOptions?: readonly string[];
  entryArgs?: string[];
  /** The checkout whose build runs; this one by default. */
  root?: string;
};

/** Starts `entry`, a path from the root of a checkout, with only the environment that Node needs. */
export function startProcess(
  entry: string,
  env: Record<string, string>,
  options: StartOptions = {},
): TestProcess {
  const { node = process.execPath, nodeOptions = [], entryArgs = [] } = options;
  const program = path.join(options.root ?? repositoryRoot, entry);
  const child = spawn(node, [...nodeOptions, program, ...entryArgs], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const lines: LogLine[] = [];
  const waiting: { event: string; resolve(line: LogLine): void }[] = [];

  function readLine(text: string): void {
    output.push(text);
    const line = parseLine(text);
    if (!line) return;
    lines.push(line);
    for (const { event, resolve } of waiting) if (event === line.message) resolve(line);
  }
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', readLine);
  }

  return {
    get pid() {
      return child.pid ?? 0;
    },
    output,
    lines,
    ended: new Promise((resolve) => child.once('exit', resolve)),
    waitForLine(event) {
      const earlierLine = lines.find((line) => line.message === event);
      if (earlierLine) return Promise.resolve(earlierLine);
      return within(
        new Promise<LogLine>((resolve) => waiting.push({ event, resolve })),
        startTimeoutMs,
        () => `${entry} did not log ${event}:\n${output.slice(-20).join('\n')}`,
      );
    },
    waitForEnd: () => waitForEnd(child, 'It did not end by itself'),
    stop: (signal = 'SIGTERM') => stopProcess(child, signal),
    signal: (signal) => child.kill(signal),
  };
}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  // A stopped process receives no signal but these two.
  if (signal !== 'SIGKILL') child.kill('SIGCONT');
  try {
    return await waitForEnd(child, `The process did not end after ${signal}`);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function waitForEnd(child: ChildProcess, problem: string): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    await within(once(child, 'exit'), stopTimeoutMs, () => problem);
  }
  return child.exitCode;
}

function parseLine(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isLine = typeof value === 'object' && value !== null && 'message' in value;
    // The message of a log line is always the event's name.
    return isLine ? (value as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

async function within<T>(
  promise: Promise<T>,
  timeoutMs: number,
  explain: () => string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(explain())), timeoutMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
