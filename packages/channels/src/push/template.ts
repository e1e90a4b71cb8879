import { type Static, Type } from '@sinclair/typebox';
import { notificationOverride, notificationTemplate } from '../notification/template';

const dataOnly = {
  data_only: Type.Optional(
    Type.Boolean({
      title: 'Data message',
      description:
        'The app displays the notification itself: title, body, image and link are in the data.',
    }),
  ),
};

export const pushTemplate = Type.Object({ ...notificationTemplate.properties, ...dataOnly });

export const pushOverride = Type.Object({
  message: Type.Optional(Type.Object({ ...notificationOverride.properties, ...dataOnly })),
});

export type PushTemplate = Static<typeof pushTemplate>;
export type PushOverride = Static<typeof pushOverride>;

export type PushContent = {
  title: string;
  body: string;
  image?: string;
  click_action?: string;
  /** FCM accepts only text values. */
  data: { [key: string]: string };
  data_only?: true;
};

export const pushLimits = {
  /** FCM's own limits for keys and values. */
  payloadBytes: 4_096,
  topicPayloadBytes: 2_048,
  /** "at most, 3993 octets of plaintext" (RFC 8291, section 4). */
  webPushBytes: 3_993,
} as const;

/** The key under which an app reports the result of a notification. */
export const notificationIdKey = 'raven_notification_id';
const notificationIdBytes = notificationIdKey.length + 36;

/** Keys that FCM reserves; it refuses or drops them. */
const reservedKey = /^(from|message_type|notification|collapse_key|google\..*|gcm\..*)$/i;

export function isReservedKey(key: string): boolean {
  return reservedKey.test(key);
}

/** The message's data without its ID: what the app gets, and what a data message shows. */
export function buildData(content: PushContent): Texts {
  const { click_action, data, data_only } = content;
  const notificationTexts = data_only ? getNotificationTexts(content) : {};
  return { ...data, ...notificationTexts, ...(click_action ? { click_action } : {}) };
}

/** The visible texts, without empty ones. */
export function getNotificationTexts({ title, body, image }: PushContent): Texts {
  return {
    ...(title === '' ? {} : { title }),
    ...(body === '' ? {} : { body }),
    ...(image ? { image } : {}),
  };
}

/**
 * The JSON that a service worker gets: the keys that a data message of FCM has. It is the whole
 * plaintext.
 */
export function buildWebPushPayload(content: PushContent, messageId: string): Texts {
  return { ...buildData({ ...content, data_only: true }), [notificationIdKey]: messageId };
}

const anyMessageId = '0'.repeat(36);

export function countWebPushBytes(content: PushContent): number {
  return Buffer.byteLength(JSON.stringify(buildWebPushPayload(content, anyMessageId)));
}

/** All keys and values that count toward the limit, in bytes. */
export function countPayloadBytes(content: PushContent): number {
  const notificationTexts = content.data_only ? {} : getNotificationTexts(content);
  const pairs = [...Object.entries(notificationTexts), ...Object.entries(buildData(content))];
  return pairs.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    notificationIdBytes,
  );
}

type Texts = { [key: string]: string };
