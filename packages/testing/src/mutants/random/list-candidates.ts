import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listSources } from '../../syntax';
import { equivalents } from './equivalents';
import type { ImportGraph } from './import-graph';
import { findMutants, type RandomMutant } from './random-mutants';

/** These files end processes by ID and delete folders on this machine. A mutant might end or delete others. */
const dangerous = /^(packages\/embedded|apps\/local)\//;
/** Browser tests of the dashboard's page take a minute per mutant, so only code that other tests reach is used. */
const page = /^apps\/dashboard\/src\/web\//;

/** Every mutant of the production sources that may be tried. */
export function listCandidates(root: string, graph: ImportGraph): RandomMutant[] {
  return listSources(root)
    .filter((file) => !dangerous.test(file))
    .flatMap((file) => findMutants(file, readFileSync(path.join(root, file), 'utf8')))
    .filter((mutant) => !isEquivalent(mutant))
    .filter(({ file, start }) => !page.test(file) || graph.findTests(file, start).length > 0);
}

function isEquivalent(mutant: RandomMutant): boolean {
  return equivalents.some(
    ({ file, before, after }) =>
      file === mutant.file && before === mutant.before && after === mutant.after,
  );
}
