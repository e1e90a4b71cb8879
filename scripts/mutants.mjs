// npm run mutants: faults that somebody could make, each made in a copy of the workspace, where a test has to fail.
//   npm run mutants                             all of a fixed list, one after the other
//   npm run mutants -- relay claim              those whose name has one of these texts
//   npm run mutants -- --random 100 --seed 7    random mutations; the same ones for the same seed
//   npm run mutants -- --random 100 --continue  keeps what the last run with this seed caught, and tries the rest
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignals, root } from './commands.mjs';
import { explain } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const ending = new AbortController();
let running = Promise.resolve();
endOnSignals(async () => {
  ending.abort();
  await running.catch(() => {});
});
main().catch((error) => {
  // Whoever ended it does not ask why.
  if (!ending.signal.aborted) explain(error);
  process.exit(1);
});

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      random: { type: 'string' },
      seed: { type: 'string', default: '7' },
      continue: { type: 'boolean', default: false },
      // For the nearest tests of each mutant, and again for its end-to-end tests.
      'limit-seconds': { type: 'string', default: '120' },
    },
  });
  await ensureBuilt();
  const testing = await import('../packages/testing/dist/index.js');
  process.exitCode = values.random
    ? await runRandom(testing, values)
    : await runListed(testing, positionals);
}

async function runListed({ runMutants }, names) {
  running = runMutants({ names, signal: ending.signal, onFate: show });
  const fates = await running;
  const width = Math.max(0, ...fates.map(({ mutant }) => mutant.name.length));
  for (const { mutant, fate, seconds } of fates) {
    console.log(
      `${mutant.name.padEnd(width)}  ${fate.padEnd(8)}  ${suiteOf(mutant)}  ${seconds} s`,
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

function suiteOf({ suite }) {
  return suite.kind === 'chaos' ? `chaos, ${suite.keys} keys` : `${suite.path} "${suite.names}"`;
}

/** The goal of docs/reliability.md. */
const leastCaught = 0.95;

async function runRandom(testing, values) {
  const { runRandomMutants, isProof, formatRandomFates, formatRandomRate } = testing;
  const [count, seed, limitSeconds] = [values.random, values.seed, values['limit-seconds']].map(
    Number,
  );
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
  running = runRandomMutants({
    count,
    seed,
    limitMs: 1_000 * limitSeconds,
    earlier,
    signal: ending.signal,
    onFate,
    onProgress: console.error,
  });
  const fates = await running;
  const survived = fates.filter(({ fate }) => fate === 'survived');
  console.log(formatRandomFates(survived));
  console.log(formatRandomRate(fates, seed));
  const hasTenant = survived.some(({ mutant }) => mutant.kind === 'dropped tenant condition');
  return survived.length <= (1 - leastCaught) * count && !hasTenant ? 0 : 1;
}

/** The last fate of each mutant, but of those that survived: they are tried again. */
function readFates(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const fates = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  const last = new Map(fates.map((fate) => [fate.mutant.id, fate]));
  return [...last.values()].filter(({ fate }) => fate !== 'survived');
}
