import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../test-stores';
import { mutated } from './apply';
import { mutants } from './mutants';

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8');

describe('a mutant', () => {
  test.each(mutants)('has anchors in the code: $name', (mutant) => {
    const text = read(mutant.file);
    expect(mutated(mutant, text)).not.toBe(text);
  });

  test.each(mutants.filter(({ suite }) => suite.kind === 'tests'))(
    'has an existing test to fail: $name',
    ({ suite }) => {
      if (suite.kind !== 'tests') throw new Error('This mutant needs the chaos run');
      expect(read(suite.path)).toMatch(new RegExp(`test.*${suite.names}`));
    },
  );

  test.each([
    ['is gone', 'nothing'],
    ['is there twice', 'one two one'],
  ])('is refused if its anchor %s', (_what, text) => {
    const mutant = { ...mutants[0]!, edits: [{ anchor: 'one', becomes: 'three' }] };
    expect(() => mutated(mutant, text)).toThrow(mutant.name);
  });
});
