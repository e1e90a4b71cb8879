import { maxPathSteps } from './limits';
import type { Path } from './nodes';
import type { SyntaxPath } from './syntax';
import { createErrorAt } from './template-error';

/** What is known before rendering about an `#each` or `#with`, or about the whole template. */
export type Level = {
  parent: Level | undefined;
  isLoop: boolean;
  blockParams: readonly string[];
  /** Where its value lies in the data; undefined when only rendering can tell. */
  location: string | undefined;
};

/** A path, and where in the data it leads. */
export type Resolved = { path: Path; location: string | undefined };

/** Finds where a path begins, so that rendering need not search. */
export function resolvePath(syntax: SyntaxPath, level: Level): Resolved {
  const names = syntax.parts;
  if (syntax.depth + names.length > maxPathSteps) {
    throw createErrorAt(syntax, `A path has at most ${maxPathSteps} steps.`);
  }
  const text = formatPath(syntax, names);
  if (syntax.isData) return resolveAt(syntax, { text, names, level });
  const isPlain = !/^(?:\.|this\b)/.test(syntax.original);
  const param = isPlain ? resolveParam({ text, names, level }) : undefined;
  return param ?? resolveValue({ text, names, level }, syntax.depth);
}

/** A literal where a path belongs is the name of a member, as in Handlebars. */
export function resolveName(name: string, level: Level): Resolved {
  return resolveValue({ text: appendSteps('', [name]), names: [name], level }, 0);
}

/** How a place in the data is told to people. */
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

/** A path that begins with @. */
function resolveAt(syntax: SyntaxPath, { text, names, level }: PathParts): Resolved {
  const [head = '', ...rest] = names;
  if (head === 'root') return resolveValue({ text, names: rest, level }, getHeight(level));
  const from = loopValues.get(head);
  if (!from) throw createErrorAt(syntax, 'After @ comes one of root, index, key, first and last.');
  const up = findLoopHeight(level, syntax.depth);
  return resolveLoop({ text, names: rest, level }, up === undefined ? 'nothing' : from, up ?? 0);
}

const loopValues = new Map<string, Path['from']>([
  ['index', 'index'],
  ['key', 'key'],
  ['first', 'first'],
  ['last', 'last'],
]);

/** What a loop knows about its round is not in the data. */
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

/** How far up the loop is that is so many loops out from the innermost. */
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

/** What the parser reads as one name without brackets. */
const plainName = /^(?!this$)[^\s!"#%-,./;<=>@[\\\]^`{|}~]+$/;

function toBracketed(name: string): string {
  return `[${name.replaceAll(']', '\\]')}]`;
}

function formatPath({ isData, depth, original }: SyntaxPath, names: readonly string[]): string {
  if (names.every((name) => plainName.test(name))) return original;
  return `${isData ? '@' : ''}${'../'.repeat(depth)}${appendSteps('', names)}`;
}
