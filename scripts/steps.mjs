// How the scripts show what they are doing: one line a step, with the time it took.

const redrawEveryMs = 200;
const repeatEveryMs = 15_000;
/** sysexits.h: the reader must change something first. */
const exitConfiguration = 78;

/** Runs one step and shows it: on a terminal the line counts the seconds, elsewhere it is repeated now and then. */
export async function step(name, work) {
  const begunAt = performance.now();
  const seconds = () => `${((performance.now() - begunAt) / 1_000).toFixed(1)} s`;
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

/** Shows the steps that another part reports about itself: `{ step, elapsedMs, isDone }`. */
export function showProgress({ step: name, elapsedMs, isDone }) {
  const seconds = `${(elapsedMs / 1_000).toFixed(1)} s`;
  const isLive = process.stderr.isTTY === true;
  if (isDone) process.stderr.write(`${isLive ? '\r\x1b[K' : ''}✓ ${name}  ${seconds}\n`);
  else if (isLive) process.stderr.write(`\r\x1b[K  ${name} ... ${seconds}`);
}

/** A failure that the reader can do something about: shown without a stack. */
export class StepError extends Error {}

/** Of other parts, by name: they are not loaded before they are built. */
const readableErrors = ['StartError', 'StoreError', 'RedisMissingError', 'EnvError'];

export function explain(error) {
  const isForReader = error instanceof StepError || readableErrors.includes(error?.name);
  console.error(isForReader ? `\n${error.message}` : error);
}

export function fail(error) {
  explain(error);
  process.exit(error?.name === 'StoreError' ? exitConfiguration : 1);
}
