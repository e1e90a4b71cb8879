import { findProblems } from '@belfry/pipeline/configure';
import type { Static, TSchema } from '@sinclair/typebox';
import { invalid } from './problem';

/** Returns the body as the type of the schema, or throws a Refusal that names every invalid field. */
export function readBody<T extends TSchema>(schema: T, body: unknown): Static<T> {
  const input = body ?? {};
  const problems = findProblems(schema, input, '');
  if (problems.length > 0) throw invalid(problems);
  // Value.Errors found no problem.
  return input as Static<T>;
}
