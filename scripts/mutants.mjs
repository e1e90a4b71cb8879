// npm run mutants: makes one fault at a time in a copy of the workspace, and checks that a test fails.
//   npm run mutants                             all faults of a fixed list
//   npm run mutants -- relay claim              only faults whose name contains one of these texts
//   npm run mutants -- --random 100 --seed 7    random mutations; the same ones for the same seed
//   npm run mutants -- --random 100 --continue  keeps the results of the last run with this seed, and tries the rest
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './commands.mjs';
import { runLong } from './long-run.mjs';
import { ensureBuilt } from './workspace.mjs';

/** @typedef {import('./long-run.mjs').LongRun} LongRun */

runLong(main);

/** @param {LongRun} run */
async function main(run) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      random: { type: 'string' },
      seed: { type: 'string', default: '7' },
      continue: { type: 'boolean', default: false },
      // Time limit for the nearest tests of each mutant, and again for its end-to-end tests.
      'limit-seconds': { type: 'string', default: '120' },
    },
  });
  await ensureBuilt();
  const testing = await import('../packages/testing/dist/index.js');
  process.exitCode = values.random
    ? await runRandom(testing, values, run)
    : await runListed(testing, positionals, run);
}

/**
 * @param {typeof import('../packages/testing/dist/index.js')} testing
 * @param {string[]} names
 * @param {LongRun} run
 */
async function runListed({ runMutants }, names, { ending, track }) {
  const fates = await track(runMutants({ names, signal: ending.signal, onFate: show }));
  const width = Math.max(0, ...fates.map(({ mutant }) => mutant.name.length));
  for (const { mutant, fate, seconds } of fates) {
    console.log(
      `${mutant.name.padEnd(width)}  ${fate.padEnd(8)}  ${formatSuite(mutant)}  ${seconds} s`,
    );
  }
  const caught = fates.filter(({ fate }) => fate === 'caught').length;
  console.log(`Mutants: ${caught} of ${fates.length} caught`);
  return fates.length > 0 && caught === fates.length ? 0 : 1;
}

function show({ mutant, fate, evidence, outputTail }) {
  console.error(`${fate === 'caught' ? '✓' : '✗'} ${mutant.name}: ${fate}`);
  for (const line of evidence) console.error(`    ${line}`);
  if (fate !== 'caught') console.error(outputTail);
}

function formatSuite({ suite }) {
  return suite.kind === 'chaos' ? `chaos, ${suite.keys} keys` : `${suite.path} "${suite.names}"`;
}

/** The goal in docs/explanation/delivery-guarantees.md. */
const minCaught = 0.95;

/**
 * @param {typeof import('../packages/testing/dist/index.js')} testing
 * @param {{ random?: string | undefined, seed: string, continue: boolean, 'limit-seconds': string }} values
 * @param {LongRun} run
 */
async function runRandom(testing, values, { ending, track }) {
  const { runRandomMutants, isProof, formatRandomFates, formatRandomRate } = testing;
  const [count, seed, limitSeconds] = [
    Number(values.random),
    Number(values.seed),
    Number(values['limit-seconds']),
  ];
  const file = path.join(root, '.belfry', 'reports', `mutants-${seed}.jsonl`);
  const earlier = values.continue ? readFates(file) : [];
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (!values.continue) rmSync(file, { force: true });
  let tried = 0;
  const onFate = (fate) => {
    if (!earlier.includes(fate)) appendFileSync(file, `${JSON.stringify(fate)}\n`, { mode: 0o600 });
    if (fate.fate === 'refused') return;
    tried += isProof(fate) ? 1 : 0;
    console.error(`${tried}/${count} ${formatRandomFates([fate])}`);
  };
  const fates = await track(
    runRandomMutants({
      count,
      seed,
      limitMs: 1_000 * limitSeconds,
      earlier,
      signal: ending.signal,
      onFate,
      onProgress: console.error,
    }),
  );
  const survived = fates.filter(({ fate }) => fate === 'survived');
  console.log(formatRandomFates(survived));
  console.log(formatRandomRate(fates, seed));
  const hasTenantSurvivor = survived.some(
    ({ mutant }) => mutant.kind === 'dropped tenant condition',
  );
  return survived.length <= (1 - minCaught) * count && !hasTenantSurvivor ? 0 : 1;
}

/** The last fate of each mutant. Survivors are left out, so that they are tried again. */
function readFates(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const fates = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  const last = new Map(fates.map((fate) => [fate.mutant.id, fate]));
  return [...last.values()].filter(({ fate }) => fate !== 'survived');
}
