import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mutant } from './mutants';

/** Changes the file in `folder`; returns a function that undoes it. Throws if an anchor is missing or ambiguous. */
export function applyMutant(mutant: Mutant, folder: string): () => void {
  const file = path.join(folder, mutant.file);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, mutated(mutant, before));
  return () => writeFileSync(file, before);
}

export function mutated({ name, file, edits }: Mutant, text: string): string {
  return edits.reduce((edited, { anchor, becomes }) => {
    const [before = '', after, ...others] = edited.split(anchor);
    if (after === undefined) throw new Error(`${name}: the anchor is not in ${file}: ${anchor}`);
    if (others.length > 0)
      throw new Error(`${name}: the anchor is more than once in ${file}: ${anchor}`);
    return before + becomes + after;
  }, text);
}
