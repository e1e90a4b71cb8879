import type { ErrorObject } from 'ajv';
import { pathText } from './path-text';

export type DescribedProblem = {
  /** The JSON type is wrong, rather than the value. */
  isTypeProblem: boolean;
  /** `<path> <problem>`. */
  sentence: string;
};

/** The first problem of a value in words; the texts that old clients know come from the schemas' `x-problem`. */
export function describeProblem(
  value: unknown,
  found: readonly ErrorObject[],
  at: readonly (string | number)[] = [],
): DescribedProblem {
  const error = chooseError(found);
  const steps = [...at, ...stepsOf(value, error.instancePath)];
  if (error.keyword === 'required') steps.push(String(error.params['missingProperty']));
  return {
    isTypeProblem: error.keyword === 'type',
    sentence: `${pathText(steps)} ${problemOf(error)}`,
  };
}

/**
 * The last error is the one of the whole. Where that is `anyOf` and the schema does not word it, the
 * branch that got furthest into the value knows best what is wrong with it.
 */
function chooseError(found: readonly ErrorObject[]): ErrorObject {
  const last = found.at(-1);
  if (!last) throw new Error('The validator found a problem and did not say which');
  if (last.keyword !== 'anyOf' || ownProblem(last) !== undefined) return last;
  return found
    .slice(0, -1)
    .reduce(
      (best, one) => (one.instancePath.length > best.instancePath.length ? one : best),
      found[0] ?? last,
    );
}

function stepsOf(value: unknown, instancePath: string): (string | number)[] {
  const steps: (string | number)[] = [];
  let at = value;
  for (const part of instancePath.split('/').slice(1)) {
    const step = part.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push(Array.isArray(at) ? Number(step) : step);
    // An instance path of ajv leads through the value that it was found in.
    at = (at as Record<string, unknown>)[step];
  }
  return steps;
}

function problemOf(error: ErrorObject): string {
  const { keyword, params } = error;
  switch (keyword) {
    case 'type':
      return `must be ${typeText(params['type'])}`;
    case 'required':
      return problemOfMissing(error);
    case 'maxLength':
      return `must be at most ${params['limit']} characters`;
    case 'maxItems':
      return `must hold at most ${params['limit']} elements`;
    case 'x-max-json-bytes':
      return `must be at most ${Number(error.schema) / 1024} KB`;
    case 'enum':
      return `must be one of ${[params['allowedValues']].flat().join(', ')}`;
    default:
      return ownProblem(error) ?? error.message ?? 'is not allowed';
  }
}

function problemOfMissing({ parentSchema, params }: ErrorObject): string {
  const missing = parentSchema?.['properties']?.[params['missingProperty']];
  return missing?.['x-problem'] ?? 'must not be null';
}

function ownProblem({ parentSchema }: ErrorObject): string | undefined {
  return parentSchema?.['x-problem'];
}

const typeNames: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function typeText(types: unknown): string {
  return [types]
    .flat()
    .map((type) => typeNames[String(type)] ?? String(type))
    .join(' or ');
}
