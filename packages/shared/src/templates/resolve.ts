import { maxPathSteps } from './limits';
import type { Path } from './nodes';
import type { SyntaxPath } from './syntax';
import { createErrorAt } from './template-error';

/** Static knowledge about an `#each` or `#with`, or about the whole template. */
export type Level = {
  parent: Level | undefined;
  isLoop: boolean;
  blockParams: readonly string[];
  /** Location of its value in the data; undefined if only rendering can determine it. */
  location: string | undefined;
};

/** A path, and its location in the data. */
export type Resolved = { path: Path; location: string | undefined };

/** Resolves the start of a path, so that rendering need not search. */
export function resolvePath(syntax: SyntaxPath, level: Level): Resolved {
  const names = syntax.parts;
  if (syntax.depth + names.length > maxPathSteps) {
    throw createErrorAt(syntax, `A path can have at most ${maxPathSteps} steps.`);
  }
  const text = formatPath(syntax, names);
  if (syntax.isData) return resolveAt(syntax, { text, names, level });
  const isPlain = !/^(?:\.|this\b)/.test(syntax.original);
  const param = isPlain ? resolveParam({ text, names, level }) : undefined;
  return param ?? resolveValue({ text, names, level }, syntax.depth);
}

/** As in Handlebars, a literal in place of a path is the name of a member. */
export function resolveName(name: string, level: Level): Resolved {
  return resolveValue({ text: appendSteps('', [name]), names: [name], level }, 0);
}

/** A location in the data, formatted for people. */
export function displayLocation(location: string): string {
  return location === '' || location.startsWith('[]') ? `this${location}` : location;
}

type PathParts = { text: string; names: string[]; level: Level };

function resolveValue({ text, names, level }: PathParts, up: number): Resolved {
  const start = findLevel(level, up);
  return {
    path: { kind: 'path', text, from: 'value', up, names },
    location: locate(start, names),
  };
}

function resolveParam({ text, names, level }: PathParts): Resolved | undefined {
  const [head, ...rest] = names;
  let up = 0;
  for (let at: Level | undefined = level; at && head !== undefined; at = at.parent) {
    const param = at.blockParams.indexOf(head);
    if (param === 0) return resolveValue({ text, names: rest, level }, up);
    if (param === 1) return resolveLoop({ text, names: rest, level }, 'key', up);
    up += 1;
  }
  return undefined;
}

/** A path that starts with @. */
function resolveAt(syntax: SyntaxPath, { text, names, level }: PathParts): Resolved {
  const [head = '', ...rest] = names;
  if (head === 'root') return resolveValue({ text, names: rest, level }, getHeight(level));
  const from = loopValues.get(head);
  if (!from) throw createErrorAt(syntax, 'After @, write root, index, key, first or last.');
  const up = findLoopHeight(level, syntax.depth);
  return resolveLoop({ text, names: rest, level }, up === undefined ? 'nothing' : from, up ?? 0);
}

const loopValues = new Map<string, Path['from']>([
  ['index', 'index'],
  ['key', 'key'],
  ['first', 'first'],
  ['last', 'last'],
]);

/** Loop variables are not in the data. */
function resolveLoop({ text, names }: PathParts, from: Path['from'], up: number): Resolved {
  return { path: { kind: 'path', text, from, up, names }, location: undefined };
}

function findLevel(level: Level, up: number): Level | undefined {
  let at: Level | undefined = level;
  for (let steps = 0; steps < up && at; steps += 1) at = at.parent;
  return at;
}

function getHeight(level: Level): number {
  let height = 0;
  for (let at = level.parent; at; at = at.parent) height += 1;
  return height;
}

/** Number of levels up to a loop, given as the number of loops out from the innermost. */
function findLoopHeight(level: Level, loopsOut: number): number | undefined {
  let up = 0;
  let loopsLeft = loopsOut;
  for (let at: Level | undefined = level; at; at = at.parent) {
    if (at.isLoop && loopsLeft === 0) return up;
    if (at.isLoop) loopsLeft -= 1;
    up += 1;
  }
  return undefined;
}

function locate(start: Level | undefined, names: readonly string[]): string | undefined {
  if (start?.location === undefined) return undefined;
  const location = appendSteps(start.location, names);
  return location.length <= maxLocationCharacters ? location : undefined;
}

const maxLocationCharacters = 500;

function appendSteps(start: string, names: readonly string[]): string {
  let path = start;
  for (const name of names) {
    const step = plainName.test(name) ? name : toBracketed(name);
    path = path === '' ? step : `${path}.${step}`;
  }
  return path;
}

/** Names that the parser reads without brackets. */
const plainName = /^(?!this$)[^\s!"#%-,./;<=>@[\\\]^`{|}~]+$/;

function toBracketed(name: string): string {
  return `[${name.replaceAll(']', '\\]')}]`;
}

function formatPath({ isData, depth, original }: SyntaxPath, names: readonly string[]): string {
  if (names.every((name) => plainName.test(name))) return original;
  return `${isData ? '@' : ''}${'../'.repeat(depth)}${appendSteps('', names)}`;
}
