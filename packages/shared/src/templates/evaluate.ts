import type { Budget } from './formats';
import { helpers } from './helpers';
import type { Call, Expression, Path, Value } from './nodes';
import { memberOf } from './values';

/** What a path can begin from: the value of an `#each` round, an `#with` or the whole data, and what holds around it. */
export type Scope = {
  value: Value;
  parent: Scope | undefined;
  key: string | number | undefined;
  index: number;
  isLast: boolean;
};

/** What an expression comes to for this data. Calls nothing but our own helpers. */
export function evaluate(expression: Expression, scope: Scope, budget: Budget): Value {
  budget.steps -= 1;
  switch (expression.kind) {
    case 'path':
      return readPath(expression, scope);
    case 'literal':
      return expression.value;
    case 'call':
      return call(expression, scope, budget);
  }
}

function readPath({ from, up, names }: Path, scope: Scope): Value {
  let start: Scope | undefined = scope;
  for (let level = 0; level < up && start; level += 1) start = start.parent;
  if (!start) return undefined;

  let value = from === 'value' ? start.value : loopValue(from, start);
  for (const name of names) value = memberOf(value, name);
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

function call({ helper, args }: Call, scope: Scope, budget: Budget): Value {
  const values = args.map((arg) => evaluate(arg, scope, budget));
  for (const value of values) budget.steps -= stepsOf(value);
  const result = helpers[helper].call(values, budget);
  budget.steps -= stepsOf(result);
  return result;
}

/** The steps that reading or making a text takes; a list or object costs what is made of it. */
export function stepsOf(value: Value): number {
  return typeof value === 'string' ? value.length >> 4 : 0;
}

/** The paths that left an expression without a value; when all had one, those that it read. */
export function missingPaths(expression: Expression, scope: Scope, budget: Budget): string[] {
  const paths = pathsIn(expression);
  const unread = paths.filter((path) => evaluate(path, scope, budget) === undefined);
  return (unread.length > 0 ? unread : paths).map(({ written }) => written);
}

function pathsIn(expression: Expression): Path[] {
  if (expression.kind === 'path') return [expression];
  return expression.kind === 'call' ? expression.args.flatMap(pathsIn) : [];
}
