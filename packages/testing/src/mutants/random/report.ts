import { isProof, type RandomFate } from './try-mutant';

/** A line for each mutant, with the change for survivors. */
export function formatRandomFates(fates: readonly RandomFate[]): string {
  return fates.flatMap(formatFate).join('\n');
}

function formatFate(fate: RandomFate): string[] {
  const { mutant, seconds, by, tests = [], passed, left } = fate;
  const evidence = by
    ? `${by}: ${tests.join('; ')}`
    : `${passed} test files passed, ${left} not run`;
  const line = `${fate.fate.padEnd(8)}  ${mutant.kind}  ${mutant.file}:${mutant.line}  ${seconds} s  ${evidence}`;
  if (fate.fate === 'caught') return [line];
  return [line, ...prefix('  - ', mutant.before), ...prefix('  + ', mutant.after)];
}

function prefix(mark: string, text: string): string[] {
  return text.split('\n').map((line) => mark + line);
}

/** The seed, the counts and the rate; dropped tenant conditions are also counted separately. */
export function formatRandomRate(fates: readonly RandomFate[], seed: number): string {
  const tenants = fates.filter(({ mutant }) => mutant.kind === 'dropped tenant condition');
  return [
    `Random mutants, seed ${seed}: ${rate(fates)}`,
    `Dropped tenant conditions: ${rate(tenants)}`,
  ].join('\n');
}

function rate(fates: readonly RandomFate[]): string {
  const provenCount = fates.filter(isProof).length;
  const caught = fates.filter(({ fate }) => fate === 'caught').length;
  const percent = provenCount === 0 ? 0 : (100 * caught) / provenCount;
  return `${caught} of ${provenCount} caught (${percent.toFixed(1)} %)`;
}
