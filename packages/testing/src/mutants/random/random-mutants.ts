import { createHash } from 'node:crypto';
import { parseFile } from '../../syntax';
import { mutateSql } from './mutate-sql';
import { mutateTypeScript } from './mutate-typescript';
import { type Kind, kinds, type Mutation } from './mutation';

/** One mutation of one file, with the lines that it changes. */
export type RandomMutant = Mutation & {
  /** The same in every run, while the file is unchanged. */
  id: string;
  file: string;
  line: number;
  before: string;
  after: string;
};

export function findMutants(file: string, text: string): RandomMutant[] {
  const body = parseFile(file, text);
  const mutations = [...mutateTypeScript(text, body), ...mutateSql(text, body)];
  return mutations
    .map((mutation) => describeMutant(file, text, mutation))
    .filter(({ before, after }) => before !== after);
}

function describeMutant(file: string, text: string, mutation: Mutation): RandomMutant {
  const { start, end, becomes } = mutation;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const rest = text.slice(end, lineEnd === -1 ? undefined : lineEnd);
  const mutated = applyMutation(text, mutation);
  return {
    ...mutation,
    id: createHash('sha256').update(file).update(mutated).digest('hex').slice(0, idCharacters),
    file,
    line: text.slice(0, start).split('\n').length,
    before: trimLines(text.slice(lineStart, end) + rest),
    after: trimLines(text.slice(lineStart, start) + becomes + rest),
  };
}

const idCharacters = 12;

export function applyMutation(text: string, { start, end, becomes }: Mutation): string {
  return text.slice(0, start) + becomes + text.slice(end);
}

/** Independent of the indentation. */
export function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** Ordered by the seed, with the kinds in turn, so that frequent kinds do not displace rare ones. */
export function shuffleMutants(mutants: readonly RandomMutant[], seed: number): RandomMutant[] {
  const queues = kinds.map((kind) => shuffleKind(mutants, kind, seed));
  const longest = Math.max(...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, round) =>
    queues.flatMap((queue) => queue.slice(round, round + 1)),
  ).flat();
}

/** Ordered by a hash with the seed: adding or removing a mutant keeps the order of the others. */
function shuffleKind(mutants: readonly RandomMutant[], kind: Kind, seed: number): RandomMutant[] {
  const rank = ({ id }: RandomMutant) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return mutants
    .filter((mutant) => mutant.kind === kind)
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
}
