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

function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

const anyObject = Type.Record(Type.String(), Type.Unknown());

function createChoice<const Values extends readonly string[]>(values: Values) {
  return Type.Unsafe<Values[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}

/** Rejects unknown fields; otherwise a misspelt setting would be ignored and its default used. */
const closed = { additionalProperties: false };

/** Not only white space and without control characters. */
const nameRule = { pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]*$' };

/** A name entered by an operator. */
const nameSchema = Type.String({
  maxLength: 128,
  ...nameRule,
  'x-problem': 'must have 1 to 128 characters and no control characters',
});

const eventName = Type.String({
  maxLength: 128,
  pattern: '\\S',
  'x-problem': 'must have 1 to 128 characters and not be blank',
});

const notAColor = 'must be a color such as #1d4ed8, in lower case';
/** A text that matches the schema may still be no region: callers check that. */
const notARegion = 'must be a two-letter region such as US or DE';

function createSettingSchema(setting: AppSetting): TSchema {
  if (setting.kind === 'region') {
    return Type.Union([Type.String(), Type.Null()], { 'x-problem': notARegion });
  }
  if (setting.kind === 'color') {
    // pattern-ignore: isColor has it as a literal, which is checked there
    const color = Type.String({ pattern: colorPattern });
    return Type.Union([color, Type.Null()], { 'x-problem': notAColor });
  }
  if (setting.kind === 'days') {
    const { minimum, maximum } = setting;
    const problem = `must be a whole number from ${minimum} to ${maximum}, or null`;
    const days = Type.Integer({ minimum, maximum });
    return Type.Union([days, Type.Null()], { 'x-problem': problem });
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
const appSettingSchemas = Object.fromEntries(
  listAppSettings().map(([key, setting]) => [key, createSettingSchema(setting)]),
) as { [Key in keyof AppSettings]: TUnsafe<AppSettings[Key]> };

const categorySlugSchema = Type.String({
  // pattern-ignore: A literal in packages/shared/src/preferences.ts.
  pattern: categorySlugPattern,
  'x-problem': `must have 1 to ${limits.categorySlugCharacters} lower-case letters, digits, hyphens or underscores, and start with a letter or digit`,
});

const categoryText = Type.Object(
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
const categoryTexts = Type.Record(
  Type.String({ pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$' }),
  categoryText,
  {
    minProperties: 1,
    maxProperties: 50,
    ...closed,
    'x-problem': 'must have a name in 1 to 50 languages, by language tag such as en or de-AT',
  },
);

const maxLocaleCharacters = 35;
const missingChoice = createChoice(['empty', 'reject']);
const onUnknownChoice = createChoice(['resend', 'resend_next', 'hold']);
const eventKind = createChoice(['mandatory', 'optional']);

const dayMs = 24 * 60 * 60_000;

const policyInput = Type.Partial(
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
const versionFields = {
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
const definitionInput = Type.Partial(
  Type.Object({
    ...versionFields,
    channels: Type.Record(Type.String(), channelInput, { maxProperties: 20 }),
  }),
  closed,
);

const webhookTypeName = createChoice(webhookTypeNames);

const webhookForm = {
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

const alertKindChoice = createChoice(alertKindNames);
const alertParams = Type.Record(Type.String({ maxLength: 32 }), Type.Number(), {
  maxProperties: 10,
});
/** E-mail addresses, or one Slack channel. */
const alertRecipients = Type.Array(Type.String({ maxLength: 254 }), {
  maxItems: maxAlertAddresses,
  'x-problem': `must have at most ${maxAlertAddresses} recipients`,
});

/** The schemas of everything that an operator enters, in the dashboard or in files. */
export const operatorInput = {
  alertKindChoice,
  alertParams,
  alertRecipients,
  anyObject,
  appSettingSchemas,
  categorySlugSchema,
  categoryText,
  categoryTexts,
  createChoice,
  definitionInput,
  eventKind,
  eventName,
  maxLocaleCharacters,
  missingChoice,
  nameRule,
  nameSchema,
  notARegion,
  nullable,
  onUnknownChoice,
  policyInput,
  versionFields,
  webhookForm,
  webhookTypeName,
};
