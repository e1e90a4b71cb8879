import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value, ValueErrorType } from '@sinclair/typebox/value';
import type { FieldProblem } from '../api/problem';
import { invalid } from './problem';

const maxProblems = 50;

/** The body as the schema's type, or the Refusal that names every field that is wrong. */
export function readBody<T extends TSchema>(schema: T, body: unknown): Static<T> {
  const input = body ?? {};
  const problems = findProblems(schema, input, '');
  if (problems.length > 0) throw invalid(problems);
  // Value.Errors found nothing against it.
  return input as Static<T>;
}

/** What is wrong with a value, by field; one problem a field. While a text is too long, no pattern is tried. */
export function findProblems(schema: TSchema, value: unknown, at: string): FieldProblem[] {
  const withoutPatterns = getSchemaWithoutPatterns(schema);
  const checkedSchema = hasTooLongText(withoutPatterns, value) ? withoutPatterns : schema;
  const problems = new Map<string, FieldProblem>();
  for (const error of Value.Errors(checkedSchema, value)) {
    const path = [at, ...error.path.split('/').slice(1).map(unescapePointer)]
      .filter((part) => part !== '')
      .join('.');
    if (!problems.has(path)) problems.set(path, { path, problem: formatProblem(error) });
    if (problems.size >= maxProblems) break;
  }
  return [...problems.values()];
}

/** Value.Errors itself goes on to the pattern of a text that is too long. */
function hasTooLongText(schema: TSchema, value: unknown): boolean {
  for (const { type } of Value.Errors(schema, value)) {
    if (type === ValueErrorType.StringMaxLength) return true;
  }
  return false;
}

const schemasWithoutPatterns = new WeakMap<TSchema, TSchema>();

function getSchemaWithoutPatterns(schema: TSchema): TSchema {
  const cachedSchema = schemasWithoutPatterns.get(schema);
  if (cachedSchema) return cachedSchema;
  const reducedSchema = dropPatterns(schema);
  schemasWithoutPatterns.set(schema, reducedSchema);
  return reducedSchema;
}

/** TypeBox keeps the kind of a schema under symbols. */
function dropPatterns<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(dropPatterns) as Part;
  const copy = {};
  for (const key of Reflect.ownKeys(part)) {
    const member: unknown = Reflect.get(part, key);
    // A property may be called pattern; its schema is no text.
    if (key === 'pattern' && typeof member === 'string') continue;
    Reflect.set(copy, key, dropPatterns(member));
  }
  return copy as Part;
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

type SchemaError = { type: ValueErrorType; message: string; schema: TSchema };

function formatProblem({ type, message, schema }: SchemaError): string {
  const customProblem: unknown = schema['x-problem'];
  if (typeof customProblem === 'string') return customProblem;
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
