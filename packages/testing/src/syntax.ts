import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';

export type SyntaxNode = {
  type: string;
  span: { start: number; end: number };
  [member: string]: unknown;
};

/** The production sources of apps and packages, as paths from the root. */
export function listSources(root: string): string[] {
  return listTypeScript(root).filter(isProductionSource);
}

/** Every TypeScript file of apps and packages, including tests, except generated ones. */
export function listTypeScript(root: string): string[] {
  return ['apps', 'packages'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
      .filter((file) => /^[^/]+\/[^/]+\/(src|e2e)\/.*(?<!\.d)\.tsx?$/.test(file))
      .filter((file) => !file.includes('/generated/'))
      .sort(),
  );
}

function isProductionSource(file: string): boolean {
  return !/\.(test|fixture)\.tsx?$/.test(file) && !file.startsWith('packages/testing/');
}

export function parseFile(file: string, text: string): SyntaxNode[] {
  const { body } = parseSync(text, { syntax: 'typescript', tsx: file.endsWith('x') });
  return body as unknown as SyntaxNode[];
}

export function* walk(value: unknown): Generator<SyntaxNode> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as SyntaxNode;
  for (const member of Object.values(value)) yield* walk(member);
}

/** swc counts bytes from 1; returns the position in the text. */
export function createPlaces(text: string): (position: number) => number {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return (position) => position - 1;
  return (position) => bytes.toString('utf8', 0, position - 1).length;
}
