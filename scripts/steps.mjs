// Progress output of the scripts: one line per step, with its duration.

const redrawEveryMs = 200;
const repeatEveryMs = 15_000;
/** EX_CONFIG of sysexits.h: the user must change the configuration. */
const exitConfiguration = 78;

/**
 * Runs one step and shows it. On a terminal the line counts the seconds; elsewhere it is repeated every 15 s.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  const isLive = process.stderr.isTTY === true;
  const draw = () =>
    process.stderr.write(isLive ? `\r  ${name} ... ${seconds()}` : `  ${name} ... ${seconds()}\n`);
  process.stderr.write(isLive ? `  ${name} ...` : `  ${name} ...\n`);
  const timer = setInterval(draw, isLive ? redrawEveryMs : repeatEveryMs);
  const end = (mark) => {
    clearInterval(timer);
    process.stderr.write(`${isLive ? '\r\x1b[K' : ''}${mark} ${name}  ${seconds()}\n`);
  };
  try {
    const result = await work();
    end('✓');
    return result;
  } catch (error) {
    end('✗');
    throw error;
  }
}

/**
 * Shows steps that other packages report.
 * @param {{ step: string, elapsedMs: number, isDone: boolean }} progress
 */
export function showProgress({ step: name, elapsedMs, isDone }) {
  const seconds = `${(elapsedMs / 1_000).toFixed(1)} s`;
  const isLive = process.stderr.isTTY === true;
  if (isDone) process.stderr.write(`${isLive ? '\r\x1b[K' : ''}✓ ${name}  ${seconds}\n`);
  else if (isLive) process.stderr.write(`\r\x1b[K  ${name} ... ${seconds}`);
}

/** An error that the user can fix: shown without a stack. */
export class StepError extends Error {}

/** Errors of other packages, by name: the packages may not be built yet. */
const userErrors = ['StartError', 'StoreError', 'RedisMissingError', 'EnvError'];

export function printError(error) {
  const isForUser =
    error instanceof StepError ||
    userErrors.includes(error?.name) ||
    String(error?.code).startsWith('ERR_PARSE_ARGS_');
  console.error(isForUser ? `\n${error.message}` : error);
}

export function fail(error) {
  printError(error);
  const isConfiguration = error?.name === 'StoreError' || error?.isConfiguration === true;
  process.exit(isConfiguration ? exitConfiguration : 1);
}
