import type { Reply, ReplyWish } from '../channel';
import { toRecord } from '../read-json';
import { readKeyword } from '../replies';
import { getPhoneNumberId, listChanges, parseId, toRecords } from './meta-changes';

/** Far above the number that Meta puts into one call. */
const maxReplies = 1_000;

/**
 * Keywords and buttons that people send to the number, and their choice to stop or resume marketing
 * messages. Neither Meta nor Belfry confirms them by a message.
 */
export function readMetaReplies(body: unknown, settingsSender: string): Reply[] {
  const messages = listChanges(body, 'messages').flatMap((value) =>
    toRecords(value['messages']).flatMap((message) =>
      createReplies(readMessage(message), getPhoneNumberId(value) ?? settingsSender),
    ),
  );
  const preferences = listChanges(body, 'user_preferences').flatMap((value) =>
    toRecords(value['user_preferences']).flatMap((preference) =>
      createReplies(readPreference(preference), getPhoneNumberId(value) ?? settingsSender),
    ),
  );
  return [...messages, ...preferences].slice(0, maxReplies);
}

type MetaReply = {
  wish: ReplyWish | undefined;
  waId: unknown;
  timestamp: unknown;
  identity: string | undefined;
};

/**
 * A text, a button of a template, or a button of an interactive message
 * (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages).
 */
function readMessage(message: Record<string, unknown>): MetaReply {
  const { from: waId, timestamp } = message;
  const button = toRecord(message['button']);
  const texts = [
    toRecord(message['text'])?.['body'],
    button?.['payload'],
    button?.['text'],
    toRecord(toRecord(message['interactive'])?.['button_reply'])?.['title'],
  ];
  const [wish] = texts.flatMap((text) => (typeof text === 'string' && readKeyword(text)) || []);
  return { wish, waId, timestamp, identity: parseId(message['id']) };
}

/**
 * The choice under "Offers and announcements", or by WhatsApp's opt-out button
 * (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/user_preferences).
 */
function readPreference({
  wa_id: waId,
  category,
  value,
  timestamp,
}: Record<string, unknown>): MetaReply {
  const wish =
    category === 'marketing_messages' && typeof value === 'string'
      ? preferenceWishes.get(value)
      : undefined;
  return { wish, waId, timestamp, identity: JSON.stringify([value, timestamp]) };
}

const preferenceWishes = new Map<string, ReplyWish>([
  ['stop', 'stop'],
  ['resume', 'start'],
]);

function createReplies({ wish, waId, timestamp, identity }: MetaReply, sender: string): Reply[] {
  if (!wish || !identity || typeof waId !== 'string') return [];
  const at = readTime(timestamp);
  return listNumbers(waId).map((address) => ({
    ...{ wish, address, sender, identity },
    ...(at ? { at } : {}),
  }));
}

/** Seconds, as a text in messages and as a number in preferences. */
function readTime(timestamp: unknown): Date | undefined {
  const text = String(timestamp);
  return /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1_000) : undefined;
}

/**
 * The phone numbers of a WhatsApp ID. "A WhatsApp user's ID and phone number may not always match": in
 * three countries the ID may have a digit for mobiles that the number lacks, or lack one that it has.
 */
function listNumbers(waId: string): string[] {
  if (!/^[1-9]\d{6,14}$/.test(waId)) return [];
  const numbers = mobileDigits.flatMap(([pattern, ...forms]) =>
    pattern.test(waId) ? forms.map((form) => waId.replace(pattern, form)) : [],
  );
  return (numbers.length > 0 ? numbers : [waId]).map((number) => `+${number}`);
}

const mobileDigits: [RegExp, string, string][] = [
  [/^521?(\d{10})$/, '52$1', '521$1'],
  [/^549?(\d{10})$/, '54$1', '549$1'],
  [/^55(\d{2})9?(\d{8})$/, '55$1$2', '55$019$2'],
];
