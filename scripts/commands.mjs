// Runs commands with a time limit, and ends them with the script.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const maxOutputChars = 4_000_000;
const killAfterMs = 10_000;
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

let isEnding = false;

/**
 * @typedef {{ env?: Record<string, string | undefined>, timeoutMs: number, isShown?: boolean }} CommandOptions
 * @typedef {{ code: number, output: string, isLate: boolean }} CommandResult
 */

/**
 * Runs a command in the root folder to its end. With `isShown` the command writes to our output; otherwise its output
 * is returned. The command gets its own process group, so that nothing it started outlives it.
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} options
 * @returns {Promise<CommandResult>}
 */
export function runCommand(command, args, { env = {}, timeoutMs, isShown = false }) {
  return new Promise((resolve) => {
    // After a signal no command starts: the caller waits until the script exits.
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
      // Other processes of the group hold our pipes open: end them before waiting for the last bytes.
      signalGroup(child, 'SIGKILL');
      child.on('close', () => end(code ?? (signal ? 1 : 0)));
    });
  });
}

/**
 * Runs a tool in node_modules, with this Node by default.
 * @param {string} file
 * @param {string[]} args
 * @param {CommandOptions & { node?: string }} options
 */
export function runTool(file, args, options) {
  return runNode([path.join(root, 'node_modules', file), ...args], options);
}

/**
 * Runs Node. Programs that it starts find the same Node first in PATH, also through npm.
 * @param {string[]} args
 * @param {CommandOptions & { node?: string }} options
 */
export function runNode(args, { node = process.execPath, env = {}, ...options }) {
  const search = [path.dirname(node), process.env['PATH']].join(path.delimiter);
  return runCommand(node, args, {
    ...options,
    env: { ...env, PATH: search, NODE: node, npm_node_execpath: node },
  });
}

/**
 * On Ctrl-C and SIGTERM: ends the commands, calls `cleanUp`, and exits with the code for the signal. Returns a function
 * that removes these signal handlers.
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
      return { signal, listener };
    },
  );
  return function release() {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

/** Ends every running command, and waits until all have exited. */
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
    // It has already ended.
  }
}
