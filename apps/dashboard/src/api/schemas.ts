import { operatorInput } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';

export const { anyObject, createChoice, nameRule, nameSchema, nullable } = operatorInput;

/** Unix milliseconds. */
export const time = Type.Integer();

export const done = Type.Object({ success: Type.Literal(true) });
export type Done = Static<typeof done>;

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
