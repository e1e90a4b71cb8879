import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { AppError } from '../errors';
import { createListProblems } from './list-problems';
import { type DescribedProblem, describeProblem } from './problems';
import { isP256Point, isPushEndpoint } from './push-subscription';
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
  addTextRule(instance, 'x-push-endpoint', isPushEndpoint);
  addTextRule(instance, 'x-p256-point', isP256Point);
  return instance;
}

/** A keyword whose problem is the `x-problem` of its schema. */
function addTextRule(instance: Ajv, keyword: string, isRight: (text: string) => boolean): void {
  const validate = (_isRule: boolean, text: string) => isRight(text);
  instance.addKeyword({ keyword, type: 'string', schemaType: 'boolean', errors: false, validate });
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
