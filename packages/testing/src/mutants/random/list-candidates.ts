import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listSources } from '../../syntax';
import { equivalents } from './equivalents';
import type { ImportGraph } from './import-graph';
import { findMutants, type RandomMutant } from './random-mutants';

/** They end processes by number and delete folders on the machine itself: a mutant might end or delete others. */
const dangerous = /^(packages\/embedded|apps\/local)\//;
/** The dashboard's page is tested in a browser, where a mutant would take a minute: only what other tests reach. */
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
