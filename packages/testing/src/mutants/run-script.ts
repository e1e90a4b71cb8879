import { spawn } from 'node:child_process';

export type Ran = {
  code: number | null;
  output: string;
  /** It was ended because it wrote nothing for too long. */
  isSilent: boolean;
};

export type RunOptions = {
  cwd: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  env?: Record<string, string>;
  /** It is also ended after it writes nothing for this long. */
  silenceMs?: number;
};

const mostOutputCharacters = 4_000_000;
/** For a run of tests: 10 s until Jest has ended, then its servers. */
const killAfterMs = 60_000;

/**
 * Runs a script with this Node in a separate process group, and ends what is left of the group with it. The servers of tests have
 * sessions of their own: `runTests` ends them.
 */
export async function runScript(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, timeoutMs, signal, env, silenceMs = timeoutMs } = options;
  signal?.throwIfAborted();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    let isSilent = false;
    const killGroup = () => killProcessGroup(child.pid);
    let killing: NodeJS.Timeout | undefined;
    // SIGTERM first: the scripts end the processes that they started.
    const stop = () => {
      child.kill('SIGTERM');
      killing ??= setTimeout(killGroup, killAfterMs);
    };
    const timer = setTimeout(stop, timeoutMs);
    const silence = setTimeout(() => {
      isSilent = true;
      stop();
    }, silenceMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => {
        silence.refresh();
        if (output.length < mostOutputCharacters) output += String(piece);
      });
    }
    signal?.addEventListener('abort', stop, { once: true });
    // Its own children hold the pipes open.
    child.on('exit', killGroup);
    child.on('close', (code) => {
      clearTimeout(timer);
      clearTimeout(silence);
      clearTimeout(killing);
      signal?.removeEventListener('abort', stop);
      resolve({ code, output, isSilent });
    });
  });
}

function killProcessGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}
