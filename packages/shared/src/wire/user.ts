import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Json } from '../data';
import { describeAlias } from './describe-alias';
import { deviceAnswer, deviceToWire, type StoredDevice } from './device';
import { limits } from './limits';
import { definedOnly } from './members';
import {
  email,
  onesignalExternalId,
  phone,
  userIdRule,
  wirePreferences,
  wireSlack,
  wireTelegram,
} from './recipient';

/** The body of a user write. Fields that channels declare are beside the named ones. */
export type UserBody = Static<typeof namedFields> & { readonly [extraField: string]: unknown };

/** Fields of a stored user in wire names. */
export type Contact = { readonly [field: string]: Json };

/** The changes of a user write: null clears a field, an absent one stays; `slack`, `telegram` and `preferences` member by member. */
export type UserChange = {
  userId: string;
  /** Without the Slack token. */
  contact: Contact;
  /** Not sealed, not empty. */
  slackToken?: string;
};

export type StoredUser = {
  userSid: string;
  userId: string;
  /** With a sealed Slack token. */
  contact: Contact;
  devices: StoredDevice[];
  createdAtMs: number;
  updatedAtMs: number;
};

/** The schema of the body that creates or updates a user; `extraFields` are the fields that channels declare. */
export function createUserBody(extraFields: Record<string, TSchema>) {
  const all: TObject = Type.Object({ ...makeOptional(extraFields), ...namedFields.properties });
  return Type.Unsafe<UserBody>({
    ...all,
    description: 'Null or an absent field changes nothing. An empty string clears its field.',
  });
}

export function createUserAnswer(extraFields: Record<string, TSchema>) {
  return Type.Object({
    user_sid: Type.String({ format: 'uuid' }),
    user_id: Type.String(),
    email: Type.Optional(Type.String()),
    mobile: Type.Optional(Type.String()),
    whatsapp_mobile: Type.Optional(Type.String()),
    slack: Type.Optional(slackAnswer),
    telegram: Type.Optional(Type.Object({ chat_id: Type.Optional(Type.String()) })),
    onesignal_external_id: Type.Optional(Type.String()),
    preferences: Type.Optional(wirePreferences),
    ...makeOptional(extraFields),
    devices: Type.Array(deviceAnswer, { description: 'Newest first, at most 100.' }),
    created_at: Type.Integer({ description: 'Unix milliseconds.' }),
    updated_at: Type.Integer({ description: 'Unix milliseconds.' }),
  });
}

/** Trims values. Keeps `user_id` byte for byte, because users are compared that way. */
export function userFromWire(body: UserBody, extraFields: readonly string[]): UserChange {
  const token = body.slack?.access_token?.trim();
  const contact = definedOnly({
    ...readExtras(body, extraFields),
    email: toChange(body.email),
    mobile: toChange(body.mobile),
    whatsapp_mobile: toChange(body.whatsapp_mobile ?? body.whats_app),
    slack: toSlackChange(body.slack),
    telegram:
      body.telegram && definedOnly({ chat_id: toChange(body.telegram.chat_id?.toString()) }),
    onesignal_external_id: toChange(body.onesignal_external_id),
    preferences: toPreferencesChange(body.preferences),
  });
  const isNew = token !== undefined && !maskOrEmpty.test(token);
  return { userId: body.user_id, contact, ...(isNew ? { slackToken: token } : {}) };
}

/** The complete user, as every response shows it. */
export function userToWire(user: StoredUser, extraFields: readonly string[]): object {
  const { contact } = user;
  return {
    user_sid: user.userSid,
    user_id: user.userId,
    email: contact['email'],
    mobile: contact['mobile'],
    whatsapp_mobile: contact['whatsapp_mobile'],
    slack: maskSlack(contact['slack']),
    telegram: filterTelegram(contact['telegram']),
    onesignal_external_id: contact['onesignal_external_id'],
    preferences: contact['preferences'],
    ...Object.fromEntries(extraFields.map((name) => [name, contact[name]])),
    devices: user.devices.map((device) => deviceToWire(device, user.userId)),
    created_at: user.createdAtMs,
    updated_at: user.updatedAtMs,
  };
}

// pattern-ignore: The pattern is checked where the schema is written.
const characterOfUserId = new RegExp(userIdRule.pattern, 'u');

/** Whether a text can be the `user_id` of a stored user. */
export function isUserId(text: string): boolean {
  const characters = [...text.slice(0, 2 * limits.userIdCharacters + 1)].length;
  return characters >= 1 && characters <= limits.userIdCharacters && characterOfUserId.test(text);
}

const mask = '********';
const maskOrEmpty = /^[\s*]*$/;

// A `slack` without a new token needs neither channel nor e-mail: responses contain such objects.
const slackOfUser = Type.Unsafe<Static<typeof wireSlack>>({
  ...wireSlack,
  anyOf: [
    { required: ['channel_id'] },
    { required: ['email'] },
    { required: ['access_token'], properties: { access_token: { pattern: maskOrEmpty.source } } },
  ],
});

const namedFields = Type.Object({
  // Two schemas, because each has its own error text.
  user_id: Type.String({
    minLength: 1,
    maxLength: limits.userIdCharacters,
    'x-problem': 'must not be blank',
    allOf: [userIdRule],
    description: 'Chosen by the client and compared byte by byte.',
  }),
  email: Type.Optional(email),
  mobile: Type.Optional(phone),
  whatsapp_mobile: Type.Optional(phone),
  whats_app: Type.Optional(
    Type.String({
      maxLength: limits.phoneCharacters,
      description: describeAlias('whatsapp_mobile'),
    }),
  ),
  slack: Type.Optional(slackOfUser),
  telegram: Type.Optional(wireTelegram),
  onesignal_external_id: Type.Optional(onesignalExternalId),
  preferences: Type.Optional(wirePreferences),
});

const slackAnswer = Type.Object({
  access_token: Type.String({
    description: 'Masked; empty if none is stored. A mask in a user write changes nothing.',
  }),
  channel_id: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
});

function makeOptional(fields: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  );
}

/** Null clears. */
function toChange(text: string | undefined): string | null | undefined {
  return text === undefined ? undefined : text.trim() || null;
}

function readExtras(body: UserBody, extraFields: readonly string[]): Record<string, Json> {
  const entries = extraFields.flatMap((name) => {
    // Safe cast: the body was JSON, and only own members are read.
    const value = Object.hasOwn(body, name) ? (body[name] as Json) : undefined;
    if (value === undefined) return [];
    return [[name, typeof value === 'string' ? value.trim() || null : value] as const];
  });
  return Object.fromEntries(entries);
}

function toSlackChange(slack: UserBody['slack']): { [member: string]: Json } | undefined {
  if (!slack) return undefined;
  return definedOnly({
    access_token: slack.access_token?.trim() === '' ? null : undefined,
    channel_id: toChange(slack.channel_id),
    email: toChange(slack.email),
  });
}

/** The changes of `preferences`, by member; only members of the schema. */
export function toPreferencesChange(
  preferences: UserBody['preferences'],
): { [member: string]: Json } | undefined {
  if (!preferences) return undefined;
  return definedOnly({ locale: toChange(preferences.locale), ...toSwitches(preferences) });
}

/** Preferences in wire form, as stored. */
export type UserSwitches = Contact;

type Switches = Omit<NonNullable<UserBody['preferences']>, 'locale'>;

/** Keeps only the members of the schema. */
function toSwitches({ disabled, channel_preferences, categories }: Switches): Contact {
  return definedOnly({
    disabled,
    channel_preferences: channel_preferences && mapValues(channel_preferences, toSwitch),
    categories:
      categories &&
      mapValues(categories, (category) => ({
        ...toSwitch(category),
        ...definedOnly({
          channel_preferences:
            category.channel_preferences && mapValues(category.channel_preferences, toSwitch),
        }),
      })),
  });
}

function toSwitch({ disabled }: { disabled?: boolean }): Contact {
  return definedOnly({ disabled });
}

function mapValues<T>(values: Record<string, T>, change: (value: T) => Json): Contact {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** Some clients cannot parse a `slack` without a token. */
function maskSlack(slack: Json | undefined): Json | undefined {
  if (typeof slack !== 'object' || slack === null || Array.isArray(slack)) return undefined;
  return { ...slack, access_token: slack['access_token'] ? mask : '' };
}

/** Some clients cannot parse a `telegram` without a chat. */
function filterTelegram(telegram: Json | undefined): Json | undefined {
  if (typeof telegram !== 'object' || telegram === null || Array.isArray(telegram)) {
    return undefined;
  }
  return typeof telegram['chat_id'] === 'string' ? telegram : undefined;
}
