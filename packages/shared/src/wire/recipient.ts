import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Preferences, Recipient, SlackRecipient } from '../recipient';
import { definedOnly } from './defined-only';
import { limits } from './limits';
import { camelCaseNames } from './user-names';

/** The `user` of a send, after members that are null were dropped; fields that channels declare stand beside the named ones. */
export type WireUser = Static<typeof namedFields> & { readonly [extraField: string]: unknown };

/** The schema of `user`; `extraFields` are the ones that channels declare beyond the interface. */
export function createWireUser(extraFields: Record<string, TSchema>) {
  const optional = Object.entries(extraFields).map(([name, schema]) => [
    name,
    Type.Optional(schema),
  ]);
  const all: TObject = Type.Object({ ...Object.fromEntries(optional), ...namedFields.properties });
  return Type.Unsafe<WireUser>({
    ...all,
    description: `Whom the notification is for. The names of an old client are read too: ${Object.keys(camelCaseNames).join(', ')}, and accessToken, channelId, chatId.`,
  });
}

/**
 * The recipient that a call named: values trimmed, and what is empty left out. `user_id` is kept
 * to the byte, because that is how users are compared. The Slack token is still in clear.
 */
export function recipientFromWire(user: WireUser, extraFields: readonly string[]): Recipient {
  return definedOnly({
    userId: user.user_id || undefined,
    email: textOf(user.email),
    mobile: textOf(user.mobile),
    whatsappMobile: textOf(user.whatsapp_mobile),
    slack: slackOf(user.slack),
    telegram: telegramOf(user.telegram),
    onesignalExternalId: textOf(user.onesignal_external_id),
    onesignalPlayerIds: textsOf(user.onesignal_player_ids),
    fcmTokens: textsOf(user.fcm_tokens),
    iosTokens: textsOf(user.ios_tokens),
    fcmTopics: textsOf([user.fcm_topic ?? []].flat()),
    fcmDeviceGroups: textsOf([user.fcm_device_group ?? []].flat()),
    preferences: preferencesOf(user.preferences),
    extra: extraOf(user, extraFields),
  });
}

export const email = Type.String({
  maxLength: limits.emailCharacters,
  description: 'E-mail address.',
});
export const phone = Type.String({
  maxLength: limits.phoneCharacters,
  description:
    'Phone number with + and country code. Without +, it is also read in the default region of the app, if it has one.',
});
const token = Type.String({ maxLength: limits.pushTokenCharacters });
const listOf = (item: TSchema, description: string) =>
  Type.Array(Type.Unsafe<string>(item), { maxItems: limits.tokensOfRecipient, description });
const oneOrMore = (item: TSchema, description: string) =>
  Type.Union([Type.Unsafe<string>(item), listOf(item, description)], { description });
const identifier = Type.String({ maxLength: limits.identifierCharacters });

export const onesignalExternalId = Type.String({
  maxLength: limits.identifierCharacters,
  description:
    'OneSignal external id, at most 128 characters: one message, to every subscription of the person.',
});

const isGiven = { pattern: '\\S' };

export const wireSlack = Type.Object(
  {
    access_token: Type.Optional(
      Type.String({
        maxLength: limits.slackTokenCharacters,
        description:
          'Token of the Slack app (xoxb-…, xoxp-…). Without it the stored user’s is used, then the integration’s.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        maxLength: limits.emailCharacters,
        description: 'E-mail address of a person. Used where no `channel_id` is found.',
      }),
    ),
    channel_id: Type.Optional(
      Type.String({
        maxLength: limits.identifierCharacters,
        description: 'Id of a channel (C…, G…, D…) or a person (U…, W…). It wins over `email`.',
      }),
    ),
  },
  {
    anyOf: [
      { required: ['channel_id'], properties: { channel_id: isGiven } },
      { required: ['email'], properties: { email: isGiven } },
    ],
    'x-problem': 'must have channel_id or email',
  },
);

/** Kept as text: many callers write a chat's id as the number that Telegram gave them. */
const chatId = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: limits.identifierCharacters,
});

export const wireTelegram = Type.Object({ chat_id: Type.Optional(chatId) });

export const wirePreferences = Type.Object({
  locale: Type.Optional(
    Type.String({
      maxLength: limits.localeCharacters,
      description: 'Language of the templates, as a BCP 47 tag such as pt-BR.',
    }),
  ),
  disabled: Type.Optional(Type.Boolean()),
  channel_preferences: Type.Optional(
    Type.Record(Type.String(), Type.Object({ disabled: Type.Optional(Type.Boolean()) }), {
      'x-max-json-bytes': limits.channelPreferencesBytes,
      description: 'By channel.',
    }),
  ),
});

export const userIdRule = {
  pattern: '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  'x-problem': 'must hold no control character and not be "." or ".."',
} as const;

const topic = Type.String({ maxLength: limits.pushTopicCharacters });

const namedFields = Type.Object({
  user_id: Type.Optional(
    Type.String({
      maxLength: limits.userIdCharacters,
      ...userIdRule,
      description: 'A stored user; the fields beside it win over the stored ones.',
    }),
  ),
  email: Type.Optional(email),
  mobile: Type.Optional(phone),
  whatsapp_mobile: Type.Optional(phone),
  slack: Type.Optional(wireSlack),
  telegram: Type.Optional(wireTelegram),
  onesignal_external_id: Type.Optional(onesignalExternalId),
  onesignal_player_ids: Type.Optional(
    listOf(
      identifier,
      'OneSignal subscription ids (UUIDs), once called player ids: a message for each. They replace a stored external id and the stored devices. `onesignal_external_id` in the same call wins over them; the message says so.',
    ),
  ),
  fcm_tokens: Type.Optional(
    listOf(
      token,
      'FCM registration tokens: a message for each. Tokens, topics and device groups of the call replace the stored devices.',
    ),
  ),
  ios_tokens: Type.Optional(
    listOf(
      token,
      'FCM registration tokens of iOS apps, read as `fcm_tokens` are. Not APNs tokens.',
    ),
  ),
  fcm_topic: Type.Optional(oneOrMore(topic, 'FCM topics: a message for each.')),
  fcm_device_group: Type.Optional(
    oneOrMore(
      token,
      'Notification keys of FCM device groups: a message for each. FCM removes device groups on 2027-09-29.',
    ),
  ),
  preferences: Type.Optional(wirePreferences),
});

function textOf(given: string | undefined): string | undefined {
  return given?.trim() || undefined;
}

function textsOf(given: readonly string[] | undefined): string[] | undefined {
  const texts = given?.map((text) => text.trim()).filter((text) => text !== '');
  return texts?.length ? texts : undefined;
}

function slackOf(given: WireUser['slack']): SlackRecipient | undefined {
  if (!given) return undefined;
  return definedOnly({
    accessToken: textOf(given.access_token),
    channelId: textOf(given.channel_id),
    email: textOf(given.email),
  });
}

function telegramOf(given: WireUser['telegram']): Recipient['telegram'] {
  const id = textOf(given?.chat_id?.toString());
  return id === undefined ? undefined : { chatId: id };
}

function preferencesOf(given: WireUser['preferences']): Preferences | undefined {
  if (!given) return undefined;
  return definedOnly({
    locale: textOf(given.locale),
    disabled: given.disabled,
    channelPreferences: given.channel_preferences,
  });
}

function extraOf(user: WireUser, extraFields: readonly string[]): Recipient['extra'] {
  const given = extraFields
    .map((name) => [name, extraValueOf(user[name])] as const)
    .filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function extraValueOf(value: unknown): unknown {
  return typeof value === 'string' ? textOf(value) : value;
}
