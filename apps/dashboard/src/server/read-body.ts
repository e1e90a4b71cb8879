import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value, ValueErrorType } from '@sinclair/typebox/value';
import type { FieldProblem } from '../api/problem';
import { invalid } from './problem';

const maxProblems = 50;

/** The body as the schema's type, or the Refusal that names every field that is wrong. */
export function readBody<T extends TSchema>(schema: T, body: unknown): Static<T> {
  const given = body ?? {};
  const problems = findProblems(schema, given, '');
  if (problems.length > 0) throw invalid(problems);
  // Value.Errors found nothing against it.
  return given as Static<T>;
}

/** What is wrong with a value, by field; one problem a field. */
export function findProblems(schema: TSchema, value: unknown, at: string): FieldProblem[] {
  const found = new Map<string, FieldProblem>();
  for (const error of Value.Errors(schema, value)) {
    const path = [at, ...error.path.split('/').slice(1).map(unescapePointer)]
      .filter((part) => part !== '')
      .join('.');
    if (!found.has(path)) found.set(path, { path, problem: sentenceOf(error) });
    if (found.size >= maxProblems) break;
  }
  return [...found.values()];
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

type Found = { type: ValueErrorType; message: string; schema: TSchema };

function sentenceOf({ type, message, schema }: Found): string {
  const said: unknown = schema['x-problem'];
  if (typeof said === 'string') return said;
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'is missing';
    case ValueErrorType.StringMinLength:
      return schema['minLength'] === 1
        ? 'must not be empty'
        : `must have ${schema['minLength']} characters or more`;
    case ValueErrorType.StringMaxLength:
      return `must have ${schema['maxLength']} characters at most`;
    case ValueErrorType.Union:
      return 'is none of the values that are allowed';
    default:
      return message.charAt(0).toLowerCase() + message.slice(1);
  }
}

/** No control character, and more than white space. */
export const nameRule = { pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]*$' };
const nameProblem = { 'x-problem': 'must have 1 to 128 characters, and no control character' };

/** A name that people give. */
export const nameSchema = Type.String({
  maxLength: 128,
  ...nameRule,
  ...nameProblem,
});

export const emailSchema = Type.String({
  maxLength: 254,
  pattern: '^\\s*[^\\s@]+@[^\\s@]+\\s*$',
  'x-problem': 'must be an e-mail address',
});
export const passwordSchema = Type.String({ maxLength: 1_024 });
export const confirmSchema = Type.Optional(Type.Boolean());
