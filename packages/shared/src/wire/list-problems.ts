import type { TSchema } from '@sinclair/typebox';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { maxProblems } from '../errors';
import { type DescribedProblem, describeMissing, describeProblem, type Steps } from './problems';

export type ListProblems = (schema: TSchema, value: unknown, at: Steps) => DescribedProblem[];

/**
 * Lists each problem of a value that does not match its schema, in the order of the value; a missing member is listed
 * where its object begins. The walk visits members and elements; `ajv` checks each part alone. A validator with
 * `allErrors` would also run patterns on texts that are too long, and would have no limit.
 */
export function createListProblems(ajv: Ajv): ListProblems {
  const validators = new WeakMap<object, ValidateFunction>();

  function validateOwn({ schema, value }: Part): readonly ErrorObject[] {
    const validate = validators.get(schema) ?? ajv.compile(dropNestedSchemas(schema));
    validators.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []);
  }

  return function listProblems(root, body, at) {
    const problems: DescribedProblem[] = [];
    walk({ schema: root, value: body, steps: at });
    return problems;

    // Recursion is safe: parseJson limits the depth.
    function walk(part: Part): void {
      if (problems.length >= maxProblems) return;
      const resolvedPart = { ...part, schema: chooseBranch(part.schema, part.value) };
      const errors = validateOwn(resolvedPart);
      problems.push(...describeOwn(resolvedPart, errors));
      if (errors.some(({ keyword }) => endingKeywords.has(keyword))) return;
      for (const inner of listParts(resolvedPart)) walk(inner);
    }
  };
}

type Part = { schema: TSchema; value: unknown; steps: Steps };
type Members = Readonly<Record<string, unknown>>;

/** Stops the walk at this value: it has the wrong type or is too large. */
const endingKeywords = new Set(['type', 'maxItems', 'maxProperties', 'x-max-json-bytes']);

function dropNestedSchemas(schema: TSchema): TSchema {
  const { properties, patternProperties, additionalProperties, required, items, ...own } = schema;
  return own as TSchema;
}

/** The only alternative that allows the JSON type of the value, if there is exactly one. Its problems are the ones to report. */
function chooseBranch(schema: TSchema, value: unknown): TSchema {
  if (schema['x-problem'] !== undefined || schema['type'] !== undefined) return schema;
  const branches: TSchema[] = schema['anyOf'] ?? [];
  const [branch, ...others] = branches.filter(({ type }) => type === getType(value));
  return branch && others.length === 0 ? branch : schema;
}

function getType(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Problems of the value itself, and its missing members. */
function describeOwn(
  { schema, value, steps }: Part,
  errors: readonly ErrorObject[],
): DescribedProblem[] {
  const problems = errors.length > 0 ? [describeProblem(value, errors, steps)] : [];
  if (!isMembers(value)) return problems;
  const required: string[] = schema['required'] ?? [];
  const missing = required.filter((name) => value[name] === undefined);
  return [...problems, ...missing.map((name) => describeMissing(schema, [...steps, name]))];
}

/** Elements or members that have a schema, in order. */
function* listParts({ schema, value, steps }: Part): Iterable<Part> {
  if (Array.isArray(value) && isMembers(schema['items'])) {
    for (const [index, element] of value.entries()) {
      yield { schema: schema['items'] as TSchema, value: element, steps: [...steps, index] };
    }
  }
  if (!isMembers(value)) return;
  for (const name of Object.keys(value)) {
    const member = findMemberSchema(schema, name);
    const isDefined = value[name] !== undefined;
    if (member && isDefined) yield { schema: member, value: value[name], steps: [...steps, name] };
  }
}

function findMemberSchema(schema: TSchema, name: string): TSchema | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  for (const [pattern, member] of Object.entries<TSchema>(patternProperties)) {
    // pattern-ignore: The pattern is from one of our schemas, which are checked where they are written.
    if (new RegExp(pattern, 'u').test(name)) return member;
  }
  return isMembers(additionalProperties) ? (additionalProperties as TSchema) : undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
