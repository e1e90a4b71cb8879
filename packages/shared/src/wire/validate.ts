import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { AppError } from '../errors';
import { createListProblems } from './list-problems';
import { type DescribedProblem, describeProblem } from './problems';
import { readSchedule } from './schedule';

/** `at` is the path of the value in the body, for the error. */
export type Validate<T> = (value: unknown, at?: readonly (string | number)[]) => T;

// One for all schemas: each instance compiles the meta-schema, which takes as long as all schemas of the gateway.
const ajv = createAjv();
const listProblems = createListProblems(ajv);

/**
 * Compiles a schema once. The function returns the value as the schema's type, or throws an AppError: code and message
 * are those of the first problem, and `problems` lists all in the order of the body.
 */
export function createValidator<T extends TSchema>(schema: T): Validate<Static<T>> {
  const matches = ajv.compile<Static<T>>(schema);
  return function validate(value, at = []) {
    if (matches(value)) return value;
    const first = describeProblem(value, matches.errors ?? [], at);
    throw createRefusal(first, listProblems(schema, value, at));
  };
}

function createAjv(): Ajv {
  // `verbose` adds the schema to each error, because its `x-problem` is the text to show.
  const instance = new Ajv({ allErrors: false, verbose: true, strict: false, logger: false });
  instance.addKeyword({
    keyword: 'x-max-json-bytes',
    schemaType: 'number',
    errors: false,
    validate: (maxBytes: number, value: unknown) =>
      Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
  });
  instance.addKeyword({
    keyword: 'x-schedule',
    type: ['number', 'string'],
    schemaType: 'boolean',
    errors: true,
    validate: checkSchedule,
  });
  return instance;
}

/** Ajv reads the problem from the function's `errors` property. */
function checkSchedule(_isSchedule: boolean, value: unknown): boolean {
  const schedule = readSchedule(value, new Date());
  if (!('problem' in schedule)) return true;
  checkSchedule.errors = [{ keyword: 'x-schedule', message: schedule.problem, params: {} }];
  return false;
}
checkSchedule.errors = [] as { keyword: string; message: string; params: object }[];

function createRefusal(first: DescribedProblem, problems: DescribedProblem[]): AppError {
  const sentence = `${first.path} ${first.problem}`;
  return new AppError(first.isTypeProblem ? 'invalid_type' : 'validation_failed', sentence, {
    problems: problems.map(({ path, problem }) => ({ path, problem })),
  });
}

/** Whether a value takes at most `maxBytes` as JSON. Calls JSON.stringify only if the result is not obvious. */
export function isJsonWithin(value: unknown, maxBytes: number): boolean {
  const atLeast = countMinCharacters(value, maxBytes);
  if (atLeast > maxBytes) return false;
  if (atLeast * mostBytesOfOne <= maxBytes) return true;
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
}

/** Maximum bytes per counted unit: a number counts as 1 and takes up to 24 and a comma; a character takes up to 6. */
const mostBytesOfOne = 25;

/** A lower bound of the bytes; stops counting at `enough`. Recursion is safe: parseJson limits the depth. */
function countMinCharacters(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length + quotes;
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value)
    ? countArrayCharacters(value, enough)
    : countObjectCharacters(value, enough);
}

const quotes = 2;
const brackets = 2;
const quotesAndColon = 3;

function countArrayCharacters(array: readonly unknown[], enough: number): number {
  let sum = brackets;
  for (const member of array) {
    if (sum > enough) break;
    sum += countMinCharacters(member, enough - sum);
  }
  return sum;
}

function countObjectCharacters(object: object, enough: number): number {
  // Safe cast: the object was parsed from JSON.
  const members = object as Readonly<Record<string, unknown>>;
  let sum = brackets;
  for (const key of Object.keys(members)) {
    if (sum > enough) break;
    sum += key.length + quotesAndColon + countMinCharacters(members[key], enough - sum);
  }
  return sum;
}
