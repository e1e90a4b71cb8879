import { helpers } from './helpers';
import {
  blockNames,
  type Call,
  type Expression,
  type HelperName,
  helperNames,
  type Literal,
} from './nodes';
import type { ParseBudget } from './parse-budget';
import { displayLocation, type Level, type Resolved, resolveName, resolvePath } from './resolve';
import type { SyntaxCall, SyntaxExpression, SyntaxLiteral } from './syntax';
import { createErrorAt, quote, type TemplateError } from './template-error';

/** Context of an expression: the surrounding level, the set of paths to add to, and the remaining parse budget. */
export type ConversionContext = { level: Level; paths: Set<string>; budget: ParseBudget };

/** An expression and, if known, the location of its value in the data. */
export type Converted<Kind extends Expression = Expression> = {
  expression: Kind;
  location: string | undefined;
};

/** Converts the call of a printing tag: a path if it is only a name, including a literal name. */
export function convertPrinted(syntax: SyntaxCall, context: ConversionContext): Expression {
  const { path, params, hash } = syntax;
  if (params.length > 0 || hash.length > 0) return convertCall(syntax, context).expression;
  if (path.type !== 'literal') return convertExpression(path, context).expression;
  return recordPath(resolveName(String(path.value), context.level), context).expression;
}

export function convertExpression(syntax: SyntaxExpression, context: ConversionContext): Converted {
  switch (syntax.type) {
    case 'path':
      return recordPath(resolvePath(syntax, context.level), context);
    case 'call':
      return convertCall(syntax, context);
    case 'literal':
      return { expression: convertLiteral(syntax), location: undefined };
  }
}

/** The name at the start of a tag or parenthesis; '' if it is not a plain name. */
export function getPlainName(path: SyntaxExpression): string {
  if (path.type !== 'path' || path.isData || path.depth > 0) return '';
  const [name = ''] = path.parts;
  return path.original === name ? name : '';
}

function recordPath({ path, location }: Resolved, { paths }: ConversionContext): Converted {
  if (location !== undefined) paths.add(displayLocation(location));
  return { expression: path, location };
}

function convertLiteral(syntax: SyntaxLiteral): Literal {
  if (typeof syntax.value === 'number' && !Number.isFinite(syntax.value)) {
    throw createErrorAt(syntax, 'This number is too large.');
  }
  return { kind: 'literal', value: syntax.value };
}

function convertCall(syntax: SyntaxCall, context: ConversionContext): Converted<Call> {
  const name = getPlainName(syntax.path);
  if (!isHelper(name)) throw createUnknownHelperError(syntax, name);
  const { usage, minArgs, maxArgs, problem, hashKeys = [] } = helpers[name];
  checkHashKeys(syntax, name, hashKeys);
  const count = syntax.params.length;
  if (count < minArgs || count > maxArgs) {
    throw createErrorAt(syntax, `Wrong number of arguments: write (${name} ${usage}).`);
  }

  const converted = syntax.params.map((param) => convertExpression(param, context));
  const args = converted.map(({ expression }) => expression);
  const argumentProblem = problem?.(args, context.budget);
  if (argumentProblem) throw createErrorAt(syntax, `In (${name} ${usage}), ${argumentProblem}.`);
  const hashArgs = hashKeys.length > 0 ? convertHash(syntax, context) : [];
  return {
    expression: { kind: 'call', helper: name, args: [...args, ...hashArgs] },
    // Helpers that return one of several lists or objects: assume the location of the first.
    location: passThroughHelpers.has(name) ? converted[0]?.location : undefined,
  };
}

function checkHashKeys(syntax: SyntaxCall, helper: HelperName, hashKeys: readonly string[]): void {
  const { hash } = syntax;
  const required = hashKeys.at(-1);
  if (required !== undefined && !hash.some(({ key }) => key === required)) {
    throw createErrorAt(syntax, `Write (${helper} ${helpers[helper].usage}): add ${required}=.`);
  }
  for (const [index, pair] of hash.entries()) {
    const key = quote(pair.key);
    if (hashKeys.length === 0) {
      throw createErrorAt(pair, `${helper} has no named arguments: remove ${key}=.`);
    }
    if (!hashKeys.includes(pair.key)) {
      throw createErrorAt(
        pair,
        `${helper} has no ${key}=: its named arguments are ${hashKeys.join(', ')}.`,
      );
    }
    if (hash.slice(0, index).some((other) => other.key === pair.key)) {
      throw createErrorAt(pair, `${helper} has ${key}= twice: remove one of them.`);
    }
  }
}

/** Converts named arguments, which follow the positional ones; see `Helper.hashKeys`. */
function convertHash({ hash }: SyntaxCall, context: ConversionContext): Expression[] {
  return [
    { kind: 'literal', value: context.budget.language },
    { kind: 'literal', value: hash.map(({ key }) => key) },
    ...hash.map(({ value }) => convertExpression(value, context).expression),
  ];
}

const passThroughHelpers = new Set(['default', 'and', 'or']);

function isHelper(name: string): name is HelperName {
  return Object.hasOwn(helpers, name);
}

function createUnknownHelperError(syntax: SyntaxCall, name: string): TemplateError {
  if (blockNames.some((blockName) => blockName === name)) {
    return createErrorAt(syntax, `${name} is a block: write {{#${name} value}}…{{/${name}}}.`);
  }
  const problem = name ? `There is no helper ${quote(name)}` : 'Only a helper takes arguments';
  return createErrorAt(
    syntax,
    `${problem}. Helpers: ${helperNames.join(', ')}. Write a name with spaces in square brackets.`,
  );
}
