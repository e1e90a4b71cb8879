import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Setting, settings } from './settings';

const repositoryRoot = path.resolve(__dirname, '..', '..', '..');
const reader = 'packages/runtime/src/env.ts';
/** Reads for each process that hands it its environment. */
const senderDeps = { call: 'senderDepsOf(env)', file: 'packages/channels/src/sender-deps.ts' };
/** Not what runs: what tests it, and what Prisma writes. */
const leftOut = /\.test\.ts$|^packages\/testing\/|\/generated\//;
const sources = ['apps', 'packages'].flatMap(listWorkspaces).flatMap(listSources);

function listWorkspaces(folder: string): string[] {
  return readdirSync(path.join(repositoryRoot, folder)).map((name) => `${folder}/${name}/src`);
}

function listSources(folder: string): { file: string; text: string }[] {
  return readdirSync(path.join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')))
    .filter((file) => file.endsWith('.ts') && !leftOut.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(repositoryRoot, file), 'utf8') }));
}

describe('settings', () => {
  const rows = Object.entries<Setting>(settings).flatMap(([name, setting]) =>
    setting.for.map((process) => ({ name, process })),
  );

  test.each(rows)('$name is read by $process', ({ name, process }) => {
    const reads = new RegExp(`\\benv(\\.${name}\\b|\\['${name}'\\])`);
    const own = sources.filter(({ file }) => file.startsWith(`apps/${process}/`));
    const isSender = own.some(({ text }) => text.includes(senderDeps.call));
    const readers = sources
      .filter(({ file }) => file === reader || (isSender && file === senderDeps.file))
      .concat(own)
      .filter(({ text }) => reads.test(text));
    expect(readers.map(({ file }) => file)).not.toEqual([]);
  });
});

describe('process.env', () => {
  test('is read in one file only', () => {
    const readers = sources.filter(({ text }) => /\bprocess\s*(\.\s*env|\[\s*'env')\b/.test(text));
    expect(readers.map(({ file }) => file)).toEqual([reader]);
  });
});
