import type { ErrorObject } from 'ajv';
import type { FieldProblem } from '../errors';
import { formatPath } from './format-path';

export type DescribedProblem = FieldProblem & {
  /** The JSON type is wrong, not the value. */
  isTypeProblem: boolean;
};

export type Steps = readonly (string | number)[];

/** Describes the first problem of a value. Texts that old clients depend on come from `x-problem` in the schemas. */
export function describeProblem(
  value: unknown,
  errors: readonly ErrorObject[],
  at: Steps = [],
): DescribedProblem {
  const error = chooseError(errors);
  const steps = [...at, ...parseInstancePath(value, error.instancePath)];
  if (error.keyword === 'required') {
    const name = String(error.params['missingProperty']);
    return describeMissing(error.parentSchema, [...steps, name]);
  }
  return {
    isTypeProblem: error.keyword === 'type',
    path: formatPath(steps),
    problem: describeError(error),
  };
}

/** Describes a missing required member, whose name is the last of `steps`. */
export function describeMissing(
  schema: ErrorObject['parentSchema'],
  steps: Steps,
): DescribedProblem {
  const missing = schema?.['properties']?.[String(steps.at(-1))];
  const problem = missing?.['x-problem'] ?? 'must not be null';
  return { isTypeProblem: false, path: formatPath(steps), problem };
}

/**
 * The last error is about the whole value. If it is an `anyOf` without its own text, the error that is deepest in the
 * value describes the problem best.
 */
function chooseError(errors: readonly ErrorObject[]): ErrorObject {
  const last = errors.at(-1);
  if (!last) throw new Error('The validator reported a problem without an error');
  if (last.keyword !== 'anyOf' || getOwnProblem(last) !== undefined) return last;
  return errors
    .slice(0, -1)
    .reduce(
      (best, one) => (one.instancePath.length > best.instancePath.length ? one : best),
      errors[0] ?? last,
    );
}

function parseInstancePath(value: unknown, instancePath: string): (string | number)[] {
  const steps: (string | number)[] = [];
  let at = value;
  for (const part of instancePath.split('/').slice(1)) {
    const step = part.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push(Array.isArray(at) ? Number(step) : step);
    // Safe cast: ajv's instance path leads through this value.
    at = (at as Record<string, unknown>)[step];
  }
  return steps;
}

function describeError(error: ErrorObject): string {
  const { keyword, params } = error;
  switch (keyword) {
    case 'type':
      return `must be ${formatType(params['type'])}`;
    case 'maxLength':
      return `must be at most ${params['limit']} characters`;
    case 'maxItems':
      return `must have at most ${params['limit']} elements`;
    case 'maxProperties':
      return `must have at most ${params['limit']} keys`;
    case 'x-max-json-bytes':
      return `must be at most ${Number(error.schema) / 1024} KB`;
    case 'enum':
      return `must be one of ${[params['allowedValues']].flat().join(', ')}`;
    default:
      return getOwnProblem(error) ?? error.message ?? 'is not allowed';
  }
}

function getOwnProblem({ parentSchema }: ErrorObject): string | undefined {
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

function formatType(types: unknown): string {
  return [types]
    .flat()
    .map((type) => typeNames[String(type)] ?? String(type))
    .join(' or ');
}
