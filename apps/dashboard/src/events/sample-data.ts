import type { Data, Json } from '@belfry/shared';

/** Data that has a value for every path that a template reads; see `Template.paths`. */
export function createSampleData(paths: readonly string[]): Data {
  const root: Branch = { kind: 'object', members: new Map() };
  for (const path of paths) grow(root, stepsOf(path));
  const data = valueOfBranch(root, 'data');
  // The root is an object, whatever was grown on it.
  return data as Data;
}

type Branch =
  | { kind: 'leaf' }
  | { kind: 'list'; element: Branch }
  | { kind: 'object'; members: Map<string, Branch> };

const listElements = 2;

/** `order.items[].[first name]` as `order`, `items`, `[]`, `first name`. */
function stepsOf(path: string): string[] {
  if (path === 'this') return [];
  return [...path.matchAll(/\[\]|\[([^\]]+)\]|[^.[\]]+/g)].map(
    ([step, literal]) => literal ?? step,
  );
}

/** Puts the steps under the branch, which becomes what its first step needs; what is grown there already stays. */
function grow(branch: Branch, [step, ...others]: string[]): Branch {
  if (step === undefined) return branch;
  if (step === '[]') {
    const element: Branch = branch.kind === 'list' ? branch.element : { kind: 'leaf' };
    return { kind: 'list', element: grow(element, others) };
  }
  const members = branch.kind === 'object' ? branch.members : new Map<string, Branch>();
  members.set(step, grow(members.get(step) ?? { kind: 'leaf' }, others));
  return { kind: 'object', members };
}

function valueOfBranch(branch: Branch, name: string): Json {
  switch (branch.kind) {
    case 'leaf':
      return valueOfLeaf(name);
    case 'list':
      return Array.from({ length: listElements }, () => valueOfBranch(branch.element, name));
    case 'object':
      return Object.fromEntries(
        [...branch.members].map(([key, member]) => [key, valueOfBranch(member, key)]),
      );
  }
}

/** A value that looks like what the name promises. */
const likely: [RegExp, Json][] = [
  [/(url|link|href)$/i, 'https://example.com/'],
  [/e?mail$/i, 'ana@example.com'],
  [/(^date|date$|_at$|[a-z]At$|time$)/, '2026-03-01T12:00:00Z'],
  [/(count|quantity|number|minutes|hours|days|total|price|amount)$/i, 3],
  [/^(is|has|can)[_A-Z]|^ok$/, true],
];

function valueOfLeaf(name: string): Json {
  const found = likely.find(([pattern]) => pattern.test(name));
  return found ? found[1] : name.replaceAll(/[_-]+/g, ' ');
}
