// npm run mutants: faults that somebody could make, each made in a copy of the workspace, where its suite has to fail.
//   npm run mutants                 all of them, one after the other
//   npm run mutants -- relay claim  those whose name has one of these texts
import { endOnSignals } from './commands.mjs';
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
  await ensureBuilt();
  const { runMutants } = await import('../packages/testing/dist/index.js');
  const names = process.argv.slice(2);
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
  process.exitCode = fates.length > 0 && caught === fates.length ? 0 : 1;
}

function show({ mutant, fate, evidence, shown }) {
  console.error(`${fate === 'caught' ? '✓' : '✗'} ${mutant.name}: ${fate}`);
  for (const line of evidence) console.error(`    ${line}`);
  if (fate !== 'caught') console.error(shown);
}

function suiteOf({ suite }) {
  return suite.kind === 'chaos' ? `chaos, ${suite.keys} keys` : `${suite.path} "${suite.names}"`;
}
