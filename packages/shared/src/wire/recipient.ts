import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Preferences, Recipient, SlackRecipient } from '../recipient';
import { limits } from './limits';
import { camelCaseNames, definedOnly } from './members';

/** The `user` of a send without null members. Fields that channels declare are beside the named ones. */
export type WireUser = Static<typeof namedFields> & { readonly [extraField: string]: unknown };

/** The schema of `user`; `extraFields` are the fields that channels declare beyond the interface. */
export function createWireUser(extraFields: Record<string, TSchema>) {
  const optional = Object.entries(extraFields).map(([name, schema]) => [
    name,
    Type.Optional(schema),
  ]);
  const all: TObject = Type.Object({ ...Object.fromEntries(optional), ...namedFields.properties });
  return Type.Unsafe<WireUser>({
    ...all,
    description: `Recipient of the notification. Field names of an old client also work: ${Object.keys(camelCaseNames).join(', ')}, and accessToken, channelId, chatId.`,
  });
}

/**
 * Reads the recipient of a request: trims values and drops empty ones. Keeps `user_id` byte for byte, because users are
 * compared that way. The Slack token is not sealed yet.
 */
export function recipientFromWire(user: WireUser, extraFields: readonly string[]): Recipient {
  return definedOnly({
    userId: user.user_id || undefined,
    email: trimText(user.email),
    mobile: trimText(user.mobile),
    whatsappMobile: trimText(user.whatsapp_mobile),
    slack: readSlack(user.slack),
    telegram: readTelegram(user.telegram),
    onesignalExternalId: trimText(user.onesignal_external_id),
    onesignalPlayerIds: trimTexts(user.onesignal_player_ids),
    fcmTokens: trimTexts(user.fcm_tokens),
    iosTokens: trimTexts(user.ios_tokens),
    fcmTopics: trimTexts([user.fcm_topic ?? []].flat()),
    fcmDeviceGroups: trimTexts([user.fcm_device_group ?? []].flat()),
    preferences: readPreferences(user.preferences),
    extra: readExtra(user, extraFields),
  });
}

export const email = Type.String({
  maxLength: limits.emailCharacters,
  description: 'E-mail address.',
});
export const phone = Type.String({
  maxLength: limits.phoneCharacters,
  description:
    'Phone number with + and country code. Without +, it is also read in the default region of the app, if one is set.',
});
const token = Type.String({ maxLength: limits.pushTokenCharacters });
const createList = (item: TSchema, description: string) =>
  Type.Array(Type.Unsafe<string>(item), { maxItems: limits.tokensOfRecipient, description });
const createOneOrMore = (item: TSchema, description: string) =>
  Type.Union([Type.Unsafe<string>(item), createList(item, description)], { description });
const identifier = Type.String({ maxLength: limits.identifierCharacters });

export const onesignalExternalId = Type.String({
  maxLength: limits.identifierCharacters,
  description:
    'OneSignal external id, at most 128 characters. OneSignal sends one message to every subscription of the user.',
});

const notBlank = { pattern: '\\S' };

export const wireSlack = Type.Object(
  {
    access_token: Type.Optional(
      Type.String({
        maxLength: limits.slackTokenCharacters,
        description:
          'Token of the Slack app (xoxb-…, xoxp-…). Default: the token of the stored user, then that of the integration.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        maxLength: limits.emailCharacters,
        description:
          'E-mail address of a Slack user. Used if the `channel_id` is missing or not found.',
      }),
    ),
    channel_id: Type.Optional(
      Type.String({
        maxLength: limits.identifierCharacters,
        description: 'Id of a channel (C…, G…, D…) or a user (U…, W…). It wins over `email`.',
      }),
    ),
  },
  {
    anyOf: [
      { required: ['channel_id'], properties: { channel_id: notBlank } },
      { required: ['email'], properties: { email: notBlank } },
    ],
    'x-problem': 'must have channel_id or email',
  },
);

/** Kept as text. Many callers send a chat id as a number, as Telegram's API returns it. */
const chatId = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: limits.identifierCharacters,
});

export const wireTelegram = Type.Object({ chat_id: Type.Optional(chatId) });

const channelPreferences = Type.Record(
  Type.String(),
  Type.Object({ disabled: Type.Optional(Type.Boolean()) }),
  { 'x-max-json-bytes': limits.channelPreferencesBytes, description: 'Preferences by channel.' },
);

const categoryPreferences = Type.Object({
  disabled: Type.Optional(Type.Boolean()),
  channel_preferences: Type.Optional(channelPreferences),
});

/** Switches of a person: `true` switches off, `false` on; the most specific one decides. */
const wireSwitches = {
  disabled: Type.Optional(Type.Boolean()),
  channel_preferences: Type.Optional(channelPreferences),
  categories: Type.Optional(
    Type.Record(Type.String(), categoryPreferences, {
      'x-max-json-bytes': limits.categoryPreferencesBytes,
      description: 'Preferences by category of the app, and by channel within it.',
    }),
  ),
};

export const wirePreferences = Type.Object({
  locale: Type.Optional(
    Type.String({
      maxLength: limits.localeCharacters,
      description: 'Language of the templates, as a BCP 47 tag such as pt-BR.',
    }),
  ),
  ...wireSwitches,
});

export const userIdRule = {
  pattern: '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  'x-problem': 'must not contain control characters or be "." or ".."',
} as const;

const topic = Type.String({ maxLength: limits.pushTopicCharacters });

const namedFields = Type.Object({
  user_id: Type.Optional(
    Type.String({
      maxLength: limits.userIdCharacters,
      ...userIdRule,
      description: 'A stored user. Fields of the request win over the stored ones.',
    }),
  ),
  email: Type.Optional(email),
  mobile: Type.Optional(phone),
  whatsapp_mobile: Type.Optional(phone),
  slack: Type.Optional(wireSlack),
  telegram: Type.Optional(wireTelegram),
  onesignal_external_id: Type.Optional(onesignalExternalId),
  onesignal_player_ids: Type.Optional(
    createList(
      identifier,
      'OneSignal subscription ids (UUIDs), formerly player ids; each gets a message. They replace a stored external id and the stored devices. `onesignal_external_id` in the same request wins over them, and the message has a warning.',
    ),
  ),
  fcm_tokens: Type.Optional(
    createList(
      token,
      'FCM registration tokens; each gets a message. Tokens, topics and device groups in the request replace the stored devices.',
    ),
  ),
  ios_tokens: Type.Optional(
    createList(token, 'FCM registration tokens of iOS apps, like `fcm_tokens`. Not APNs tokens.'),
  ),
  fcm_topic: Type.Optional(createOneOrMore(topic, 'FCM topics; each gets a message.')),
  fcm_device_group: Type.Optional(
    createOneOrMore(
      token,
      'Notification keys of FCM device groups; each gets a message. FCM removes device groups on 2027-09-29.',
    ),
  ),
  preferences: Type.Optional(wirePreferences),
});

function trimText(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

function trimTexts(values: readonly string[] | undefined): string[] | undefined {
  const texts = values?.map((text) => text.trim()).filter((text) => text !== '');
  return texts?.length ? texts : undefined;
}

function readSlack(slack: WireUser['slack']): SlackRecipient | undefined {
  if (!slack) return undefined;
  return definedOnly({
    accessToken: trimText(slack.access_token),
    channelId: trimText(slack.channel_id),
    email: trimText(slack.email),
  });
}

function readTelegram(telegram: WireUser['telegram']): Recipient['telegram'] {
  const id = trimText(telegram?.chat_id?.toString());
  return id === undefined ? undefined : { chatId: id };
}

export function readPreferences(preferences: WireUser['preferences']): Preferences | undefined {
  if (!preferences) return undefined;
  return definedOnly({
    locale: trimText(preferences.locale),
    disabled: preferences.disabled,
    channelPreferences: preferences.channel_preferences,
    categories: preferences.categories && readCategories(preferences.categories),
  });
}

function readCategories(
  categories: Record<string, Static<typeof categoryPreferences>>,
): Preferences['categories'] {
  const entries = Object.entries(categories).map(([slug, { disabled, channel_preferences }]) => [
    slug,
    definedOnly({ disabled, channelPreferences: channel_preferences }),
  ]);
  return Object.fromEntries(entries);
}

function readExtra(user: WireUser, extraFields: readonly string[]): Recipient['extra'] {
  const entries = extraFields
    .map((name) => [name, readExtraValue(user[name])] as const)
    .filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function readExtraValue(value: unknown): unknown {
  return typeof value === 'string' ? trimText(value) : value;
}
