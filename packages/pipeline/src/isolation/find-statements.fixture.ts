import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { untried } from './untried.fixture';

export type SourceStatement = {
  /** File and line, as in `users.ts:30`. */
  place: string;
  /** The constant parts of an SQL text with single spaces; undefined for a call that sends a statement. */
  fragments?: string[];
};

const root = path.resolve(__dirname, '../../../..');

/** The path within the sources of `packages/database` or `packages/pipeline`, else within the repository. */
export function toPlace(file: string): string {
  return path.relative(root, file).replace(/^packages\/(database|pipeline)\/src\//, '');
}

/** Finds every call in the sources that sends a statement, and every SQL text. */
export function findStatements(): SourceStatement[] {
  return listTriedSources().flatMap(findIn);
}

/** The files whose statements are checked here. */
export function listTriedSources(): string[] {
  return ['apps', 'packages']
    .flatMap((folder) => listSources(path.join(root, folder)))
    .filter((file) => !(toPlace(file) in untried));
}

const skippedFolders = ['dist', 'generated', 'node_modules', 'testing', 'web'];

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return skippedFolders.includes(entry.name) ? [] : listSources(name);
    return /\.ts$/.test(name) && !/\.(test|fixture|d)\.ts$/.test(name) ? [name] : [];
  });
}

function findIn(file: string): SourceStatement[] {
  const name = toPlace(file);
  const text = readFileSync(file, 'utf8');
  const getPlace = (at: number) => `${name}:${text.slice(0, at).split('\n').length}`;
  const sends = [...text.matchAll(sending)].map(({ index }) => ({ place: getPlace(index) }));
  const literals = [...text.matchAll(writing)].map(({ index }) => ({
    place: getPlace(index),
    fragments: readFragments(text, index),
  }));
  return [...sends, ...literals];
}

/** `pool.query(`, `tx.$queryRaw`, `prisma.account.create(`. */
const sending =
  /\.query\s*(?:\(|<)(?!'ROLLBACK')|\.\$(?:query|execute)Raw|(?<=\b(?:prisma|tx)\.\w+)\.\w+\(/g;

const writing = /[`'"](?=\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s)/g;

/** Reads a string literal from its opening quote on, without its placeholders. */
function readFragments(text: string, start: number): string[] {
  const quote = text[start];
  const fragments = [''];
  for (let at = start + 1; at < text.length && text[at] !== quote; at += 1) {
    if (text.startsWith('${', at)) {
      at = findClosingBrace(text, at + 1);
      fragments.push('');
    } else {
      if (text[at] === '\\') at += 1;
      fragments.push(`${fragments.pop()}${text[at]}`);
    }
  }
  return fragments.map(withoutBlanks).filter(Boolean);
}

function findClosingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

export function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Whether the text contains all fragments in order. */
export function containsFragments(text: string, fragments: readonly string[]): boolean {
  let from = 0;
  return fragments.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
