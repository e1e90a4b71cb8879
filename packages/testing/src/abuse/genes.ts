import { channelNames } from '@belfry/channels';
import { helperNames } from '@belfry/shared';
import type { Random } from '../chaos/random';
import { createData, dataShapes, expensiveCharacters } from './data-shapes';
import { createHelperPiece, createPiece } from './pieces';

/** The parameters of a generated message; small enough to change one at a time. */
export type Gene = {
  channel: string;
  /** Parts of a field's source, repeated as often as its limits allow. */
  pieces: string[];
  repeats: number;
  /** Number of template fields with this source. */
  fields: number;
  languages: number;
  missing: 'empty' | 'reject';
  /** The call overrides a text with one of this many characters. */
  overrideCharacters: number;
  data: { shape: string; size: number; character: string };
};

const mostRepeats = 2_000;
const mostFields = 600;
const mostLanguages = 50;
const mostOverrideCharacters = 250_000;

export function createGene(random: Random): Gene {
  return {
    channel: random.pick(channelNames),
    pieces: [createPiece(random)],
    repeats: between(random, mostRepeats),
    fields: between(random, mostFields),
    languages: random.chance(0.1) ? between(random, mostLanguages) : 1,
    missing: random.chance(0.2) ? 'reject' : 'empty',
    overrideCharacters: random.chance(0.1) ? between(random, mostOverrideCharacters) : 0,
    data: createDataGene(random),
  };
}

/** The first genes of a run use each helper and each channel, whatever the seed. */
export const coveringGenes = Math.max(helperNames.length, channelNames.length);

export function createCoveringGene(random: Random, index: number): Gene {
  const [helper, channel] = [take(helperNames, index), take(channelNames, index)];
  return { ...createGene(random), channel, pieces: [createHelperPiece(helper, random)] };
}

function take<T>(members: readonly T[], index: number): T {
  const member = members[index % members.length];
  if (member === undefined) throw new Error('Cannot pick from an empty list');
  return member;
}

/** A gene with next to no cost on that channel. */
export function createSmallGene(gene: Gene, channel: string): Gene {
  const small = { pieces: ['Hello {{text}}'], repeats: 1, fields: 2, languages: 1 };
  const data = { shape: 'text', size: 0.001, character: 'a' };
  return { ...gene, ...small, channel, missing: 'empty', overrideCharacters: 0, data };
}

function createDataGene(random: Random): Gene['data'] {
  return {
    shape: random.pick(Object.keys(dataShapes)),
    // Most attacks need the maximum data.
    size: random.chance(0.6) ? 1 : random.next(),
    character: random.pick(expensiveCharacters),
  };
}

/** From 1 to `most`; small numbers are as likely as large ones. */
function between(random: Random, most: number): number {
  return Math.max(1, Math.floor(most ** random.next()));
}

type Mutation = (gene: Gene, random: Random) => Gene;

const mutations: readonly Mutation[] = [
  (gene, random) => ({ ...gene, channel: random.pick(channelNames) }),
  (gene, random) => ({ ...gene, pieces: [createPiece(random)] }),
  (gene, random) => ({ ...gene, pieces: [...gene.pieces.slice(-3), createPiece(random)] }),
  (gene, random) => ({ ...gene, pieces: gene.pieces.map((piece) => wrap(piece, random)) }),
  (gene) => ({ ...gene, repeats: Math.min(mostRepeats, gene.repeats * 2) }),
  (gene) => ({ ...gene, repeats: Math.max(1, gene.repeats >> 1) }),
  (gene) => ({ ...gene, fields: Math.min(mostFields, gene.fields * 2) }),
  (gene) => ({ ...gene, fields: Math.max(1, gene.fields >> 1) }),
  (gene, random) => ({ ...gene, data: createDataGene(random) }),
  (gene) => ({ ...gene, data: { ...gene.data, size: 1 } }),
  (gene, random) => ({
    ...gene,
    data: { ...gene.data, character: random.pick(expensiveCharacters) },
  }),
];

/** Another gene that differs in one parameter. */
export function mutate(gene: Gene, random: Random): Gene {
  return random.pick(mutations)(gene, random);
}

function wrap(piece: string, random: Random): string {
  const list = random.pick(['list', 'rows', 'wide', 'items']);
  return random.chance(0.5)
    ? `{{#each ${list}}}${piece}{{/each}}`
    : `{{#if (join ${list} sep)}}${piece}{{else}}${piece}{{/if}}`;
}

/** The data of a gene; the same for the same gene. */
export function buildData({ data: { shape, size, character } }: Gene) {
  return createData(shape, size, character);
}
