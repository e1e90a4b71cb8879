import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '../../test-stores';
import type { MutantCopy } from '../mutant-copy';
import { runScript } from '../run-script';
import { findMutants, type RandomMutant } from './random-mutants';
import { tryMutant } from './try-mutant';

const source = 'module.exports = (a, b) => a < b;\n';
const files = {
  'package.json': '{}',
  'src/less.js': source,
  'src/equal.test.js': "test('equals', () => expect(require('./less')(1, 1)).toBe(false));",
  'src/loads.test.js': "test('loads', () => { require('./less'); });",
  'src/always.test.js': "test('fails', () => expect(1).toBe(2));",
};
const [mutant] = findMutants('src/less.js', source) as [RandomMutant];
let root: string;

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'belfry-try-'));
  mkdirSync(path.join(root, 'src'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
  symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(root, 'node_modules'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Real runs of Jest, in a folder without a build. */
function tryWith(nearTests: string[]) {
  const run: MutantCopy['run'] = (args, options) => runScript(args, { ...options, cwd: root });
  const build = async () => ({ code: 0, output: '', isSilent: false });
  const copy = { root, run, build, remove: () => {} };
  const limitMs = 60_000;
  const trial = {
    copy,
    env: {},
    serversFolder: path.join(root, 'servers'),
    limitMs,
    nearTests,
    endToEndTests: [],
    passing: new Set<string>(),
  };
  return tryMutant(mutant, trial);
}

/** Each starts Jest up to three times, on a machine that runs other tests. */
const timeoutMs = 120_000;

describe('a random mutant', () => {
  afterEach(() => expect(readFileSync(path.join(root, 'src/less.js'), 'utf8')).toBe(source));

  test(
    'is caught by the first test that fails with it and passes without it',
    async () => {
      const fate = await tryWith(['src/loads.test.js', 'src/equal.test.js']);
      expect(fate).toMatchObject({ fate: 'caught', by: 'src/equal.test.js', tests: ['equals'] });
    },
    timeoutMs,
  );

  test(
    'survives if its tests pass, or also fail without it',
    async () => {
      const fate = await tryWith(['src/always.test.js', 'src/loads.test.js']);
      expect(fate).toMatchObject({ fate: 'survived', passed: 1, left: 0 });
    },
    timeoutMs,
  );
});
