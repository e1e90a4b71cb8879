// Commands that the scripts run: bounded in time, ended with the script.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const maxOutputChars = 4_000_000;
const killAfterMs = 10_000;
const running = new Set();
let isEnding = false;

/**
 * Runs a command in the root folder to its end: `{ code, output, isLate }`. With `isShown` it writes to our output,
 * else what it wrote is kept. It gets a process group of its own, so that nothing it started outlives it.
 */
export function runCommand(command, args, { env = {}, timeoutMs, isShown = false }) {
  return new Promise((resolve) => {
    // After a signal nothing new begins: whoever asks waits for the exit.
    if (isEnding) return;
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: isShown ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    running.add(child);
    let output = '';
    let isLate = false;
    const keep = (chunk) => {
      if (output.length < maxOutputChars) output += chunk;
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    const timer = setTimeout(() => {
      isLate = true;
      void endCommand(child);
    }, timeoutMs);
    const end = (code, problem = '') => {
      clearTimeout(timer);
      running.delete(child);
      signalGroup(child, 'SIGKILL');
      resolve({ code, output: output + problem, isLate });
    };
    child.on('error', (error) => end(1, error.message));
    child.on('exit', (code, signal) => {
      // What else is in the group holds our pipes open: end it before waiting for their last bytes.
      signalGroup(child, 'SIGKILL');
      child.on('close', () => end(code ?? (signal ? 1 : 0)));
    });
  });
}

/** Runs one of the tools in node_modules by this very Node, or by the given one. */
export function runTool(file, args, options) {
  return runNode([path.join(root, 'node_modules', file), ...args], options);
}

/** Runs a Node. What it starts finds the same one first in PATH, also through npm. */
export function runNode(args, { node = process.execPath, env = {}, ...options }) {
  const search = [path.dirname(node), process.env['PATH']].join(path.delimiter);
  return runCommand(node, args, {
    ...options,
    env: { ...env, PATH: search, NODE: node, npm_node_execpath: node },
  });
}

/**
 * On Ctrl-C and SIGTERM: ends the commands, lets `cleanUp` end the rest, and exits as a signal does. Gives a function
 * that leaves signals to whoever comes next.
 */
export function endOnSignals(cleanUp = async () => {}) {
  const listeners = Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }).map(
    ([signal, code]) => {
      const listener = async () => {
        if (isEnding) return;
        isEnding = true;
        await endCommands();
        await cleanUp().catch(console.error);
        process.exit(code);
      };
      process.on(signal, listener);
      return [signal, listener];
    },
  );
  return function release() {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/** Ends every command that still runs, and waits until they are gone. */
export async function endCommands() {
  await Promise.all([...running].map(endCommand));
}

async function endCommand(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs);
  signalGroup(child, 'SIGTERM');
  await exited;
  clearTimeout(timer);
}

function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch {
    // It has ended already.
  }
}
