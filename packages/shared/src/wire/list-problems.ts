import type { TSchema } from '@sinclair/typebox';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { maxProblems } from '../errors';
import { type DescribedProblem, describeMissing, describeProblem, type Steps } from './problems';

export type ListProblems = (schema: TSchema, value: unknown, at: Steps) => DescribedProblem[];

/**
 * Lists each problem of a value that does not match its schema, in the order of the value; a missing member stands where its
 * object begins. The walk knows members and elements; `ajv` judges each part by itself. A validator with `allErrors` would
 * also try patterns on texts that are too long, and has no bound.
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

    // Recurses: parseJson bounded the depth.
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

/** Nothing that lies deeper is looked at: the value has another type, or is too large. */
const endingKeywords = new Set(['type', 'maxItems', 'maxProperties', 'x-max-json-bytes']);

function dropNestedSchemas(schema: TSchema): TSchema {
  const { properties, patternProperties, additionalProperties, required, items, ...own } = schema;
  return own as TSchema;
}

/** The one alternative that the JSON type of the value fits, where there is one; it says what is wrong inside. */
function chooseBranch(schema: TSchema, value: unknown): TSchema {
  if (schema['x-problem'] !== undefined || schema['type'] !== undefined) return schema;
  const branches: TSchema[] = schema['anyOf'] ?? [];
  const [branch, ...others] = branches.filter(({ type }) => type === getType(value));
  return branch && others.length === 0 ? branch : schema;
}

function getType(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** What is wrong with a value itself, and what it lacks. */
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

/** Elements or members that have a schema, in their order. */
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
    // pattern-ignore: It is one of our schemas, which are judged where they are written.
    if (new RegExp(pattern, 'u').test(name)) return member;
  }
  return isMembers(additionalProperties) ? (additionalProperties as TSchema) : undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
