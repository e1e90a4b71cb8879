import type { FieldProblem } from '@belfry/shared';
import type { TSchema } from '@sinclair/typebox';
import { Value, ValueErrorType } from '@sinclair/typebox/value';

const maxProblems = 50;

/** Problems of a value, one per field. Patterns do not run while a text is too long. */
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

/** Value.Errors itself would run the pattern on a too long text. */
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

/** TypeBox stores the kind of a schema under symbols. */
function dropPatterns<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(dropPatterns) as Part;
  const copy = {};
  for (const key of Reflect.ownKeys(part)) {
    const member: unknown = Reflect.get(part, key);
    // A property may be named `pattern`; its schema is not a string.
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
        : `must have at least ${schema['minLength']} characters`;
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema['maxLength']} characters`;
    case ValueErrorType.Union:
      return 'is not one of the allowed values';
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return `must be at least ${schema['minimum']}`;
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return `must be at most ${schema['maximum']}`;
    default:
      return typeProblems[type] ?? message.charAt(0).toLowerCase() + message.slice(1);
  }
}

const typeProblems: Partial<Record<ValueErrorType, string>> = {
  [ValueErrorType.Boolean]: 'must be true or false',
  [ValueErrorType.Integer]: 'must be a whole number',
  [ValueErrorType.Number]: 'must be a number',
  [ValueErrorType.String]: 'must be a text',
  [ValueErrorType.StringPattern]: 'has the wrong format',
  [ValueErrorType.ObjectAdditionalProperties]: 'is not a known field',
};
