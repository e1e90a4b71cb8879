// The frame of scripts that run for minutes, and their number options.
import { readFileSync } from 'node:fs';
import { endOnSignals } from './commands.mjs';
import { printError, StepError } from './steps.mjs';

/**
 * `track` returns the given work. Ctrl-C aborts `ending` and waits for that work, which ends its processes itself.
 * @typedef {{ ending: AbortController, track: <T>(work: Promise<T>) => Promise<T> }} LongRun
 */

/**
 * Runs the script, or prints its first comment with `--help`. Prints its error, except after `ending` was aborted, because the reader knows why then.
 * @param {(run: LongRun) => Promise<void>} main
 */
export function runLong(main) {
  if (process.argv.includes('--help')) {
    const [comment = ''] = /^(\/\/.*\n)+/.exec(readFileSync(process.argv[1] ?? '', 'utf8')) ?? [];
    console.log(comment.replaceAll(/^\/\/ /gm, '').trimEnd());
    return;
  }
  const ending = new AbortController();
  /** @type {Promise<unknown>} */
  let running = Promise.resolve();
  endOnSignals(async () => {
    ending.abort();
    await running.catch(() => {});
  });
  const track = (work) => {
    running = work;
    return work;
  };
  main({ ending, track }).catch((error) => {
    if (!ending.signal.aborted) printError(error);
    process.exit(1);
  });
}

/**
 * @param {string} name
 * @param {string} text
 * @param {{ min?: number, max?: number }} [limits]
 */
export function readNumber(name, text, { min = 1, max = 2 ** 31 } = {}) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new StepError(
    `${name} must be a whole number from ${format(min)} to ${format(max)} (got "${text}")`,
  );
}

const format = (number) => number.toLocaleString('en');
