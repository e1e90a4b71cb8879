import { spawn } from 'node:child_process';
import type { Ids } from './private-files';

export type Ran = { code: number | undefined; stdout: string; stderr: string };

/** How to run a command as another user. */
export type RunAs = {
  /** A command that changes the user and then runs the command after it. */
  prefix: string[];
  ids?: Ids;
};

export type RunOptions = {
  timeoutMs: number;
  cwd?: string;
  /** The complete environment of the command. Default: this process's. */
  env?: Record<string, string>;
  as?: RunAs;
  /** Standard input. */
  input?: string;
};

const maxOutputBytes = 1_000_000;

/** Runs a command to its end. Never throws: if the command is missing or times out, there is no exit code. */
export function run(command: string, args: string[], options: RunOptions): Promise<Ran> {
  const { timeoutMs, cwd = '/', env, as, input } = options;
  const [program = command, ...rest] = [...(as?.prefix ?? []), command, ...args];
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      ...(env ? { env } : {}),
      ...as?.ids,
    });
    // The command may end without reading.
    child.stdin.on('error', () => {}).end(input);
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    let isOver = false;
    function end(code: number | undefined, suffix = '') {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve({ code, stdout: stdout(), stderr: (stderr() + suffix).trim() });
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      end(undefined, `\n${command} did not end within ${timeoutMs / 1_000} s`);
    }, timeoutMs);
    child.on('error', (error) => end(undefined, error.message));
    child.on('close', (code) => end(code ?? undefined));
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    if (text.length < maxOutputBytes) text += chunk.toString();
  });
  return () => text;
}
