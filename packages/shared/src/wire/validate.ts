import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import { AppError } from '../errors';
import { isJsonWithin } from './json-size';
import { describeProblem } from './problems';

/** Compiles a schema once. The function returns the value as the schema's type, or throws the AppError of the first problem. */
export function createValidator<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  // `verbose` puts the schema beside each error: its `x-problem` is the sentence to show.
  const ajv = new Ajv({ allErrors: false, verbose: true, strict: false, logger: false });
  ajv.addKeyword({
    keyword: 'x-max-json-bytes',
    schemaType: 'number',
    errors: false,
    validate: (maxBytes: number, value: unknown) => isJsonWithin(value, maxBytes),
  });
  const matches = ajv.compile<Static<T>>(schema);
  return function validate(value) {
    if (matches(value)) return value;
    throw errorOf(value, matches.errors ?? []);
  };
}

function errorOf(value: unknown, found: ErrorObject[]): AppError {
  const { isTypeProblem, sentence } = describeProblem(value, found);
  if (isTypeProblem) return new AppError('invalid_type', sentence);
  return new AppError('validation_failed', sentence, { errors: [sentence] });
}
