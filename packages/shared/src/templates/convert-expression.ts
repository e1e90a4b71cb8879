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
import { errorAt, quote, type TemplateError } from './template-error';

/** Where an expression stands: what is around it, the list of paths that it adds to, and what is left for the template. */
export type Surroundings = { level: Level; paths: Set<string>; budget: ParseBudget };

/** An expression, and where in the data its value lies if that is known. */
export type Converted<Kind extends Expression = Expression> = {
  expression: Kind;
  location: string | undefined;
};

/** What a tag prints: a path when it holds nothing but a name, a literal name included. */
export function convertPrinted(syntax: SyntaxCall, around: Surroundings): Expression {
  const { path, params, hash } = syntax;
  if (params.length > 0 || hash.length > 0) return convertCall(syntax, around).expression;
  if (path.type !== 'literal') return convertExpression(path, around).expression;
  return note(resolveName(String(path.value), around.level), around).expression;
}

export function convertExpression(syntax: SyntaxExpression, around: Surroundings): Converted {
  switch (syntax.type) {
    case 'path':
      return note(resolvePath(syntax, around.level), around);
    case 'call':
      return convertCall(syntax, around);
    case 'literal':
      return { expression: convertLiteral(syntax), location: undefined };
  }
}

/** The name that a tag or parenthesis begins with; '' when that is no plain name. */
export function nameOf(path: SyntaxExpression): string {
  if (path.type !== 'path' || path.isData || path.depth > 0) return '';
  const [name = ''] = path.parts;
  return path.original === name ? name : '';
}

function note({ path, location }: Resolved, { paths }: Surroundings): Converted {
  if (location !== undefined) paths.add(displayLocation(location));
  return { expression: path, location };
}

function convertLiteral(syntax: SyntaxLiteral): Literal {
  if (typeof syntax.value === 'number' && !Number.isFinite(syntax.value)) {
    throw errorAt(syntax, 'This number is too large.');
  }
  return { kind: 'literal', value: syntax.value };
}

function convertCall(syntax: SyntaxCall, around: Surroundings): Converted<Call> {
  const name = nameOf(syntax.path);
  if (!isHelper(name)) throw unknownHelper(syntax, name);
  const { usage, minArgs, maxArgs, problem, named = [] } = helpers[name];
  refuseWrongNames(syntax, name, named);
  const count = syntax.params.length;
  if (count < minArgs || count > maxArgs) {
    throw errorAt(syntax, `${name} is written (${name} ${usage}).`);
  }

  const converted = syntax.params.map((param) => convertExpression(param, around));
  const args = converted.map(({ expression }) => expression);
  const wrong = problem?.(args, around.budget);
  if (wrong) throw errorAt(syntax, `${name} is written (${name} ${usage}): ${wrong}.`);
  const more = named.length > 0 ? convertNamed(syntax, around) : [];
  return {
    expression: { kind: 'call', helper: name, args: [...args, ...more] },
    // The helpers that hand a list or object on hand on the first one that will do.
    location: handingOn.has(name) ? converted[0]?.location : undefined,
  };
}

function refuseWrongNames(syntax: SyntaxCall, helper: HelperName, named: readonly string[]): void {
  const { hash } = syntax;
  const required = named.at(-1);
  if (required !== undefined && !hash.some(({ key }) => key === required)) {
    throw errorAt(
      syntax,
      `${helper} is written (${helper} ${helpers[helper].usage}): add ${required}=.`,
    );
  }
  for (const [index, pair] of hash.entries()) {
    const key = quote(pair.key);
    if (named.length === 0) {
      throw errorAt(pair, `${helper} has no named values: remove ${key}=.`);
    }
    if (!named.includes(pair.key)) {
      throw errorAt(pair, `${helper} has no ${key}=: its named values are ${named.join(', ')}.`);
    }
    if (hash.slice(0, index).some((other) => other.key === pair.key)) {
      throw errorAt(pair, `${helper} has ${key}= twice: remove one of them.`);
    }
  }
}

/** The arguments behind the others; see `Helper.named`. */
function convertNamed({ hash }: SyntaxCall, around: Surroundings): Expression[] {
  return [
    { kind: 'literal', value: around.budget.language },
    { kind: 'literal', value: hash.map(({ key }) => key) },
    ...hash.map(({ value }) => convertExpression(value, around).expression),
  ];
}

const handingOn = new Set(['default', 'and', 'or']);

function isHelper(name: string): name is HelperName {
  return Object.hasOwn(helpers, name);
}

function unknownHelper(syntax: SyntaxCall, name: string): TemplateError {
  if (blockNames.some((known) => known === name)) {
    return errorAt(syntax, `${name} is a block: write {{#${name} value}}…{{/${name}}}.`);
  }
  const problem = name ? `There is no helper ${quote(name)}` : 'Only a helper takes values';
  return errorAt(
    syntax,
    `${problem}; helpers are ${helperNames.join(', ')}. A name with spaces stands in square brackets.`,
  );
}
