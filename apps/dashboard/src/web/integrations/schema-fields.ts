import { formatFieldName } from '../../api/field-problem';
import type { JsonSchema } from '../../api/registry';
import { count } from '../format';
import { checkText } from '../parts/check-text';

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
    const isRequired = isWithin && required.has(name) && property['x-made-by-belfry'] !== true;
    if (property.type === 'object' && property.properties) {
      return listSchemaFields(property, path, isRequired);
    }
    return [
      {
        path,
        label: property.title ?? formatFieldName(path),
        hint: property.description,
        kind: getKind(property),
        isRequired,
        choices: listChoices(property),
        schema: property,
      },
    ];
  });
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

/** A credential that names an account and is no secret. */
export function showsValue({ schema }: SchemaField): boolean {
  return schema['x-shows-value'] === true;
}

/** A credential that Belfry makes, unless the operator enters it. */
export function isMade({ schema }: SchemaField): boolean {
  return schema['x-made-by-belfry'] === true;
}

/** The value of an input: a text, or the state of a checkbox. */
export type Raw = string | boolean;

export const invalidJson = Symbol('not JSON');

/** An absent switch shows its default, because the server uses it. */
export function toRaw({ kind, schema }: SchemaField, value: unknown): Raw {
  if (kind === 'switch') return (value ?? schema.default) === true;
  if (value === undefined || value === null) return '';
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

/** The value of an input; undefined if it is empty. */
export function fromRaw({ kind }: SchemaField, raw: Raw): unknown {
  if (typeof raw === 'boolean') return raw;
  if (raw === '') return undefined;
  switch (kind) {
    case 'number':
      return raw.trim() === '' ? undefined : Number(raw);
    case 'lines':
      return raw.split('\n').filter((line) => line.trim() !== '');
    case 'json':
      return parseJson(raw);
    default:
      return raw;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return invalidJson;
  }
}

/** The inputs of a form for these values, by path. */
export function toRaws(fields: readonly SchemaField[], values: Values): Values {
  let raws: Values = {};
  for (const field of fields) {
    raws = setAt(raws, field.path, toRaw(field, getAt(values, field.path)));
  }
  return raws;
}

/** The values of the inputs. Empty ones are absent. */
export function fromRaws(fields: readonly SchemaField[], raws: Values): Values {
  let values: Values = {};
  for (const field of fields) {
    // The inputs of a form hold texts and states of checkboxes.
    values = setAt(values, field.path, fromRaw(field, getAt(raws, field.path) as Raw));
  }
  return values;
}

/** Checks an input against its schema and names it in the problem. The server validates again. */
export function checkField(field: SchemaField, raw: Raw): string | undefined {
  const { label, kind, schema } = field;
  const value = fromRaw(field, raw);
  if (value === undefined) return checkText(label, '', { required: field.isRequired });
  if (value === invalidJson) return `${label} must be valid JSON.`;
  if (typeof value === 'string') {
    const { minLength, maxLength } = schema;
    return checkText(label, value, { minLength, maxLength }) ?? checkPattern(field, value);
  }
  return kind === 'number' ? checkNumber(label, schema, value) : undefined;
}

function checkPattern({ label, schema: { pattern }, hint }: SchemaField, text: string) {
  // pattern-ignore: schema patterns are checked in the files that declare them.
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return undefined;
  return hint ? `${label} does not look right. ${hint}` : `${label} has the wrong format.`;
}

function checkNumber(label: string, { minimum, maximum, type }: JsonSchema, value: unknown) {
  if (typeof value !== 'number' || Number.isNaN(value)) return `${label} must be a number.`;
  if (type === 'integer' && !Number.isInteger(value)) return `${label} must be a whole number.`;
  if (minimum !== undefined && value < minimum) {
    return `${label} must be at least ${count(minimum)}.`;
  }
  if (maximum !== undefined && value > maximum)
    return `${label} must be at most ${count(maximum)}.`;
  return undefined;
}
