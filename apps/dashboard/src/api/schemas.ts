import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** Unix milliseconds. */
export const time = Type.Integer();

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

export const anyObject = Type.Record(Type.String(), Type.Unknown());

export function createChoice<const Values extends readonly string[]>(values: Values) {
  return Type.Unsafe<Values[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}

export const done = Type.Object({ success: Type.Literal(true) });
export type Done = Static<typeof done>;

/** Not only white space and without control characters. */
export const nameRule = { pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]*$' };

/** A name entered by an operator. */
export const nameSchema = Type.String({
  maxLength: 128,
  ...nameRule,
  'x-problem': 'must have 1 to 128 characters and no control characters',
});

export const emailSchema = Type.String({
  maxLength: 254,
  pattern: '^\\s*[^\\s@]+@[^\\s@]+\\s*$',
  'x-problem': 'must be an e-mail address',
});
export const passwordSchema = Type.String({ maxLength: 1_024 });

/** Six digits of an authenticator app, or a recovery code. Spaces and hyphens are ignored. */
export const codeSchema = Type.String({ maxLength: 64 });

/** The operator confirmed the warning of a 409 `needs_confirmation`. */
export const confirmSchema = Type.Optional(Type.Boolean());

/** Longer than any searchable id or address except a push token. */
export const maxTextLength = 4_096;
export const searchText = Type.Optional(
  Type.String({ maxLength: maxTextLength, 'x-problem': 'is not a searchable text' }),
);
