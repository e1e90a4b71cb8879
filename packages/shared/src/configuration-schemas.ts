import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { alertKindNames, maxAlertAddresses } from './alerts';
import {
  type AppSetting,
  type AppSettings,
  colorPattern,
  listAppSettings,
  listValues,
} from './app-settings';
import { categorySlugPattern } from './preferences';
import { limits } from './wire/limits';
import { webhookTypeNames } from './wire/webhook-events';

// What operators may enter, in the dashboard and in files.

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

export const anyObject = Type.Record(Type.String(), Type.Unknown());

export function createChoice<const Values extends readonly string[]>(values: Values) {
  return Type.Unsafe<Values[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}

/** Rejects unknown fields; otherwise a misspelt setting would be ignored and its default used. */
const closed = { additionalProperties: false };

/** Not only white space and without control characters. */
export const nameRule = { pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]*$' };

/** A name entered by an operator. */
export const nameSchema = Type.String({
  maxLength: 128,
  ...nameRule,
  'x-problem': 'must have 1 to 128 characters and no control characters',
});

export const eventName = Type.String({
  maxLength: 128,
  pattern: '\\S',
  'x-problem': 'must have 1 to 128 characters and not be blank',
});

const notAColor = 'must be a color such as #1d4ed8, in lower case';
/** A text that matches the schema may still be no region: callers check that. */
export const notARegion = 'must be a two-letter region such as US or DE';

function createSettingSchema(setting: AppSetting): TSchema {
  if (setting.kind === 'region') {
    return Type.Union([Type.String(), Type.Null()], { 'x-problem': notARegion });
  }
  if (setting.kind === 'color') {
    // pattern-ignore: isColor has it as a literal, which is checked there
    const color = Type.String({ pattern: colorPattern });
    return Type.Union([color, Type.Null()], { 'x-problem': notAColor });
  }
  const rule = { 'x-problem': `must be ${listValues(setting).join(' or ')}` };
  return setting.kind === 'switch'
    ? Type.Boolean(rule)
    : Type.Union(
        setting.choices.map(({ value }) => Type.Literal(value)),
        rule,
      );
}

// One schema per key of the settings.
export const appSettingSchemas = Object.fromEntries(
  listAppSettings().map(([key, setting]) => [key, createSettingSchema(setting)]),
) as { [Key in keyof AppSettings]: TUnsafe<AppSettings[Key]> };

export const categorySlugSchema = Type.String({
  // pattern-ignore: A literal in packages/shared/src/preferences.ts.
  pattern: categorySlugPattern,
  'x-problem': `must have 1 to ${limits.categorySlugCharacters} lower-case letters, digits, hyphens or underscores, and start with a letter or digit`,
});

export const categoryText = Type.Object(
  {
    name: Type.String({
      maxLength: 100,
      ...nameRule,
      'x-problem': 'must have 1 to 100 characters and no control characters',
    }),
    description: Type.String({ maxLength: 500 }),
  },
  closed,
);

/** By language tag. */
export const categoryTexts = Type.Record(
  Type.String({ pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$' }),
  categoryText,
  {
    minProperties: 1,
    maxProperties: 50,
    ...closed,
    'x-problem': 'must have a name in 1 to 50 languages, by language tag such as en or de-AT',
  },
);

export const maxLocaleCharacters = 35;
export const missingChoice = createChoice(['empty', 'reject']);
export const onUnknownChoice = createChoice(['resend', 'resend_next', 'hold']);
export const eventKind = createChoice(['mandatory', 'optional']);

const dayMs = 24 * 60 * 60_000;

export const policyInput = Type.Partial(
  Type.Object({
    attempts: Type.Integer({ minimum: 1, maximum: 50 }),
    timeToLiveMs: Type.Integer({ minimum: 1_000, maximum: 30 * dayMs }),
    onUnknown: onUnknownChoice,
    unknownResends: Type.Integer({ minimum: 0, maximum: 10 }),
  }),
  closed,
);

const channelInput = Type.Partial(
  Type.Object({
    integrationIds: Type.Array(Type.String({ maxLength: 36 }), { maxItems: 10 }),
    templates: Type.Record(Type.String(), anyObject, { maxProperties: 50 }),
    policy: policyInput,
  }),
  closed,
);

/** The fields of a version besides its channels. */
export const versionFields = {
  defaultLocale: Type.String({
    maxLength: maxLocaleCharacters,
    pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$',
    'x-problem': 'must be a language tag such as en or de-AT',
  }),
  missing: missingChoice,
  isSensitive: Type.Boolean(),
  kind: eventKind,
  category: Type.String({
    // pattern-ignore: A literal in packages/shared/src/preferences.ts.
    pattern: categorySlugPattern,
    'x-problem': 'must be the slug of a category',
  }),
};

/** A version as sent by the page. The server adds the defaults of omitted fields. */
export const definitionInput = Type.Partial(
  Type.Object({
    ...versionFields,
    channels: Type.Record(Type.String(), channelInput, { maxProperties: 20 }),
  }),
  closed,
);

export const webhookTypeName = createChoice(webhookTypeNames);

export const webhookForm = {
  url: Type.String({ minLength: 1, maxLength: limits.webhookUrlCharacters }),
  types: Type.Array(webhookTypeName, {
    minItems: 1,
    maxItems: webhookTypeNames.length,
    uniqueItems: true,
    'x-problem': 'must have at least one event type',
  }),
  description: Type.String({
    maxLength: limits.webhookDescriptionCharacters,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    'x-problem': `must have at most ${limits.webhookDescriptionCharacters} characters and no control characters`,
  }),
};

export const alertKindChoice = createChoice(alertKindNames);
export const alertParams = Type.Record(Type.String({ maxLength: 32 }), Type.Number(), {
  maxProperties: 10,
});
/** E-mail addresses, or one Slack channel. */
export const alertRecipients = Type.Array(Type.String({ maxLength: 254 }), {
  maxItems: maxAlertAddresses,
  'x-problem': `must have at most ${maxAlertAddresses} recipients`,
});
