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

/** Where an expression stands: what is around it, the list of paths that it adds to, and what is left for the template. */
export type ConversionContext = { level: Level; paths: Set<string>; budget: ParseBudget };

/** An expression, and where in the data its value lies if that is known. */
export type Converted<Kind extends Expression = Expression> = {
  expression: Kind;
  location: string | undefined;
};

/** What a tag prints: a path when it holds nothing but a name, a literal name included. */
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

/** The name that a tag or parenthesis begins with; '' when that is no plain name. */
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
    throw createErrorAt(syntax, `${name} is written (${name} ${usage}).`);
  }

  const converted = syntax.params.map((param) => convertExpression(param, context));
  const args = converted.map(({ expression }) => expression);
  const argumentProblem = problem?.(args, context.budget);
  if (argumentProblem)
    throw createErrorAt(syntax, `${name} is written (${name} ${usage}): ${argumentProblem}.`);
  const hashArgs = hashKeys.length > 0 ? convertHash(syntax, context) : [];
  return {
    expression: { kind: 'call', helper: name, args: [...args, ...hashArgs] },
    // The helpers that hand a list or object on hand on the first one that will do.
    location: passThroughHelpers.has(name) ? converted[0]?.location : undefined,
  };
}

function checkHashKeys(syntax: SyntaxCall, helper: HelperName, hashKeys: readonly string[]): void {
  const { hash } = syntax;
  const required = hashKeys.at(-1);
  if (required !== undefined && !hash.some(({ key }) => key === required)) {
    throw createErrorAt(
      syntax,
      `${helper} is written (${helper} ${helpers[helper].usage}): add ${required}=.`,
    );
  }
  for (const [index, pair] of hash.entries()) {
    const key = quote(pair.key);
    if (hashKeys.length === 0) {
      throw createErrorAt(pair, `${helper} has no named values: remove ${key}=.`);
    }
    if (!hashKeys.includes(pair.key)) {
      throw createErrorAt(
        pair,
        `${helper} has no ${key}=: its named values are ${hashKeys.join(', ')}.`,
      );
    }
    if (hash.slice(0, index).some((other) => other.key === pair.key)) {
      throw createErrorAt(pair, `${helper} has ${key}= twice: remove one of them.`);
    }
  }
}

/** The arguments behind the others; see `Helper.named`. */
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
  const problem = name ? `There is no helper ${quote(name)}` : 'Only a helper takes values';
  return createErrorAt(
    syntax,
    `${problem}; helpers are ${helperNames.join(', ')}. A name with spaces stands in square brackets.`,
  );
}
