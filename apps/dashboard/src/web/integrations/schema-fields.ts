import type { JsonSchema } from '../../api/registry';

export type Values = Record<string, unknown>;
export type SchemaField = {
  /** Dotted path, as in problems. */
  path: string;
  label: string;
  hint: string | undefined;
  kind: 'text' | 'long' | 'number' | 'switch' | 'choice' | 'lines' | 'json';
  isRequired: boolean;
  choices: string[];
  schema: JsonSchema;
};

/** Longer texts are pasted files, such as the key of a service account. */
const longText = 4_096;

/** Flattens a schema to a list of fields; objects are replaced by their fields. */
export function listSchemaFields(schema: JsonSchema, prefix = '', isWithin = true): SchemaField[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]): SchemaField[] => {
    const path = prefix ? `${prefix}.${name}` : name;
    const isRequired = isWithin && required.has(name);
    if (property.type === 'object' && property.properties) {
      return listSchemaFields(property, path, isRequired);
    }
    return [
      {
        path,
        label: property.title ?? formatLabel(path),
        hint: property.description,
        kind: getKind(property),
        isRequired,
        choices: listChoices(property),
        schema: property,
      },
    ];
  });
}

function formatLabel(path: string): string {
  const words = path.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function getKind(schema: JsonSchema): SchemaField['kind'] {
  if (listChoices(schema).length > 0) return 'choice';
  switch (schema.type) {
    case 'boolean':
      return 'switch';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.items?.type === 'string' ? 'lines' : 'json';
    case 'string':
      return (schema.maxLength ?? 0) > longText && schema.format !== 'password' ? 'long' : 'text';
    default:
      return 'json';
  }
}

function listChoices({ enum: enumValues, anyOf }: JsonSchema): string[] {
  const values = enumValues ?? anyOf?.map((one) => one.const) ?? [];
  return values.filter((one) => typeof one === 'string');
}

/** Initial values of a form. */
export function getDefaults(fields: readonly SchemaField[]): Values {
  let values: Values = {};
  for (const { path, schema } of fields) {
    if (schema.default !== undefined) values = setAt(values, path, schema.default);
  }
  return values;
}

export function getAt(values: Values, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => {
    return typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
  }, values);
}

/** Undefined removes the field and parent objects that become empty. */
export function setAt(values: Values, path: string, value: unknown): Values {
  const [name = '', ...rest] = path.split('.');
  const { [name]: before, ...others } = values;
  const inner = typeof before === 'object' && before !== null ? { ...before } : {};
  const next = rest.length === 0 ? value : setAt(inner, rest.join('.'), value);
  const isGone =
    next === undefined || (rest.length > 0 && Object.keys(next as object).length === 0);
  return isGone ? others : { ...values, [name]: next };
}

/** Checks a value against its schema. The server validates again. */
export function checkField(
  { isRequired, schema, kind, hint }: SchemaField,
  value: unknown,
): string | undefined {
  const isEmpty = value === undefined || value === '';
  if (isEmpty) return isRequired ? 'This field is required.' : undefined;
  if (typeof value === 'string') return checkText(schema, value, hint);
  if (kind === 'number') return checkNumber(schema, value);
  return undefined;
}

function checkText(
  { minLength, maxLength, pattern }: JsonSchema,
  text: string,
  hint = '',
): string | undefined {
  if (maxLength !== undefined && text.length > maxLength) {
    return `Enter at most ${maxLength} characters (${text.length} now).`;
  }
  if (minLength !== undefined && text.length < minLength)
    return `Enter at least ${minLength} characters.`;
  // pattern-ignore: schema patterns are checked in the files that declare them.
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return undefined;
  return hint ? `This does not look right. ${hint}` : `This must match ${pattern}.`;
}

function checkNumber({ minimum, maximum, type }: JsonSchema, value: unknown): string | undefined {
  if (typeof value !== 'number' || Number.isNaN(value)) return 'Enter a number.';
  if (type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
  if (minimum !== undefined && value < minimum) return `Enter a number from ${minimum}.`;
  if (maximum !== undefined && value > maximum) return `Enter a number up to ${maximum}.`;
  return undefined;
}
