import { helpers } from './helpers';
import type { Call, Expression, Path, Value } from './nodes';
import { charge, chargeText, cost, type RenderBudget } from './render-budget';
import { getMember } from './values';

/** Start of a path: the value of an `#each` iteration or `#with`, or the whole data; linked to the enclosing scopes. */
export type Scope = {
  value: Value;
  parent: Scope | undefined;
  key: string | number | undefined;
  index: number;
  isLast: boolean;
};

/** Evaluates an expression for this data. Calls only our own helpers. */
export function evaluate(expression: Expression, scope: Scope, budget: RenderBudget): Value {
  charge(budget, cost.expression);
  switch (expression.kind) {
    case 'path':
      return readPath(expression, scope, budget);
    case 'literal':
      return expression.value;
    case 'call':
      return call(expression, scope, budget);
  }
}

function readPath({ from, up, names }: Path, scope: Scope, budget: RenderBudget): Value {
  charge(budget, (up + names.length) * cost.pathStep);
  let start: Scope | undefined = scope;
  for (let level = 0; level < up && start; level += 1) start = start.parent;
  if (!start) return undefined;

  let value = from === 'value' ? start.value : loopValue(from, start);
  for (const name of names) value = getMember(value, name);
  return value;
}

function loopValue(from: Path['from'], { key, index, isLast }: Scope): Value {
  switch (from) {
    case 'key':
      return key;
    case 'index':
      return index;
    case 'first':
      return index === 0;
    case 'last':
      return isLast;
    default:
      return undefined;
  }
}

function call({ helper, args }: Call, scope: Scope, budget: RenderBudget): Value {
  charge(budget, cost.call);
  const values = args.map((arg) => evaluate(arg, scope, budget));
  // Any helper may read a whole text; a comparison does.
  for (const value of values) {
    if (typeof value === 'string') chargeText(budget, value.length >> readingShift);
  }
  return helpers[helper].call(values, budget);
}

/** Reading a text takes about 1/8 of the time of creating it. */
const readingShift = 3;

/** The missing paths that left an expression without a value; if none was missing, all paths that it read. */
export function listMissingPaths(
  expression: Expression,
  scope: Scope,
  budget: RenderBudget,
): string[] {
  const paths = listPaths(expression);
  charge(budget, paths.length * cost.missingPath);
  const unread = paths.filter((path) => evaluate(path, scope, budget) === undefined);
  return (unread.length > 0 ? unread : paths).map(({ text }) => text);
}

function listPaths(expression: Expression): Path[] {
  if (expression.kind === 'path') return [expression];
  return expression.kind === 'call' ? expression.args.flatMap(listPaths) : [];
}
