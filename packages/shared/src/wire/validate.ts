import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { AppError } from '../errors';
import { isJsonWithin } from './json-size';
import { type DescribedProblem, describeProblem } from './problems';

/** `at` is where the value stands in the body, for the error. */
export type Validate<T> = (value: unknown, at?: readonly (string | number)[]) => T;

/** Compiles a schema once. The function returns the value as the schema's type, or throws the AppError of the first problem. */
export function createValidator<T extends TSchema>(schema: T): Validate<Static<T>> {
  // `verbose` puts the schema beside each error: its `x-problem` is the sentence to show.
  const ajv = new Ajv({ allErrors: false, verbose: true, strict: false, logger: false });
  ajv.addKeyword({
    keyword: 'x-max-json-bytes',
    schemaType: 'number',
    errors: false,
    validate: (maxBytes: number, value: unknown) => isJsonWithin(value, maxBytes),
  });
  const matches = ajv.compile<Static<T>>(schema);
  return function validate(value, at = []) {
    if (matches(value)) return value;
    throw errorOf(describeProblem(value, matches.errors ?? [], at));
  };
}

function errorOf({ isTypeProblem, sentence }: DescribedProblem): AppError {
  if (isTypeProblem) return new AppError('invalid_type', sentence);
  return new AppError('validation_failed', sentence, { errors: [sentence] });
}
