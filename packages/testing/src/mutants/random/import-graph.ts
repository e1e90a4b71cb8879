import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createPlaces, listTypeScript, parseFile, type SyntaxNode } from '../../syntax';

/** Finds the unit and integration tests that use the code at a position of a file, nearest first. */
export type ImportGraph = { findTests(file: string, place: number): string[] };

/** A top-level declaration and the names in it. All statements without a name form one more. */
type Declaration = { name: string; start: number; end: number; words: Set<string> };
type Link = { file: string; name: string };
type Module = { declarations: Declaration[]; links: Map<string, Link> };

/**
 * Follows names, not files. All imports of a package go through its index, so by files everything in it would be one step
 * away from every test.
 */
export function readImportGraph(root: string): ImportGraph {
  const files = new Set(listTypeScript(root));
  const modules = new Map(
    [...files].map((file) => [
      file,
      readModule(file, readFileSync(path.join(root, file), 'utf8'), files),
    ]),
  );
  const users = listUsers(modules);
  return {
    findTests(file, place) {
      const declaration = modules
        .get(file)
        ?.declarations.find(({ start, end }) => start <= place && place < end);
      if (!declaration) return [];
      const steps = countSteps(users, getNodeKey({ file, name: declaration.name }));
      const tests = [...steps.keys()].filter((testFile) => unitOrIntegrationTest.test(testFile));
      const rank = (testFile: string) =>
        (steps.get(testFile) ?? 0) +
        countCost(testFile) -
        countSharedWords(file, testFile) -
        (getBaseName(file) === getBaseName(testFile) ? sameNameSteps : 0);
      return tests.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    },
  };
}

function readModule(file: string, text: string, files: ReadonlySet<string>): Module {
  const place = createPlaces(text);
  const body = parseFile(file, text);
  const links = new Map(body.flatMap((node) => listLinks(node, file, files)));
  const declarations = body.map((node) => {
    const [start, end] = [place(node.span.start), place(node.span.end)];
    const words = new Set(text.slice(start, end).match(/[A-Za-z_$][\w$]*/g));
    return { name: getDeclarationName(node), start, end, words };
  });
  return { declarations, links };
}

/** Several declarations in one statement count as the first of them. */
function getDeclarationName(node: SyntaxNode): string {
  const declaration = (node['declaration'] ?? node) as SyntaxNode;
  const [first] = (declaration['declarations'] ?? [declaration]) as SyntaxNode[];
  const id = (first?.['id'] ?? first?.['identifier']) as SyntaxNode | undefined;
  return String(id?.['value'] ?? '');
}

type Specifier = { type: string } & {
  [part in 'local' | 'imported' | 'orig' | 'exported']?: { value: string } | null;
};

/** Names that another file declares: imported or re-exported here. */
function listLinks(
  { source, specifiers, typeOnly }: SyntaxNode,
  file: string,
  files: ReadonlySet<string>,
): [string, Link][] {
  const target =
    source && !typeOnly
      ? resolveImport(file, String((source as SyntaxNode)['value']), files)
      : undefined;
  if (target === undefined) return [];
  return (specifiers as Specifier[]).map(({ type, local, imported, orig, exported }) => {
    const own = local ?? exported ?? orig;
    const name =
      type === 'ImportNamespaceSpecifier' ? everything : (imported ?? orig ?? local)?.value;
    return [own?.value ?? '', { file: target, name: name ?? '' }];
  });
}

function resolveImport(
  from: string,
  specifier: string,
  files: ReadonlySet<string>,
): string | undefined {
  const packageName = /^@belfry\/([a-z-]+)$/.exec(specifier)?.[1];
  const base = packageName
    ? `packages/${packageName}/src/index`
    : path.posix.join(path.posix.dirname(from), specifier);
  if (!packageName && !specifier.startsWith('.')) return undefined;
  return ['.ts', '.tsx', '/index.ts'].map((end) => base + end).find((file) => files.has(file));
}

/** The name of an import of a whole file. */
const everything = '*';

const getNodeKey = ({ file, name }: Link) => `${file}#${name}`;

type Users = Map<string, Set<string>>;

/** For each declaration, the declarations that name it. */
function listUsers(modules: ReadonlyMap<string, Module>): Users {
  const users: Users = new Map();
  for (const [file, { declarations, links }] of modules) {
    for (const [name, link] of links) addUser(users, link, { file, name });
    const names = new Set([...links.keys(), ...declarations.map(({ name }) => name)]);
    for (const { name, words } of declarations) {
      addUser(users, { file, name }, { file, name: everything });
      const used = [...words].filter((word) => word !== name && names.has(word));
      for (const word of used) addUser(users, { file, name: word }, { file, name });
    }
  }
  return users;
}

function addUser(users: Users, used: Link, user: Link): void {
  const node = getNodeKey(used);
  users.set(node, (users.get(node) ?? new Set()).add(getNodeKey(user)));
}

/** An integration test takes as long as many unit tests, so it counts as two steps further away. */
function countCost(test: string): number {
  return test.includes('.int.') ? 2 : 0;
}

/** A test with the name of the file is nearer than any other, however far it is away. */
const sameNameSteps = 100;

function getBaseName(file: string): string {
  return path.posix.basename(file).replace(/\..*/, '');
}

const unitOrIntegrationTest = /(?<!\.fault|\.e2e)\.test\.tsx?$/;

/** The number of references from a declaration to each file, breadth first. */
function countSteps(users: Users, start: string): Map<string, number> {
  const steps = new Map([[start, 0]]);
  for (const [node, count] of steps) {
    for (const user of users.get(node) ?? []) if (!steps.has(user)) steps.set(user, count + 1);
  }
  const files = new Map<string, number>();
  for (const [node, count] of steps) {
    const file = node.slice(0, node.lastIndexOf('#'));
    if (!files.has(file)) files.set(file, count);
  }
  return files;
}

/** Tests are named after their subject, so adjacent tests share the most words with a file. */
export function countSharedWords(file: string, test: string): number {
  const words = listWords(test);
  return [...listWords(file)].filter((word) => words.has(word)).length;
}

function listWords(file: string): Set<string> {
  return new Set(file.split(/\W+/).map((word) => word.replace(/s$/, '')));
}
