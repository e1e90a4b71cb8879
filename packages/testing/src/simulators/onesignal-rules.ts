import type { HttpRequest } from './http-simulator';
import { parseObject, toRecord } from './read-object';
import {
  findProblem,
  hasType,
  isAnything,
  isEnum,
  isFlag,
  isInteger,
  isMapOfStrings,
  isObject,
  isText,
  isTextUpTo,
  jsonType,
  type Members,
  matches,
  type Rule,
} from './rules';

/** A valid message, or the text with which OneSignal refuses it. */
export type ReadOnesignalMessage =
  | { target: OnesignalTarget; idempotencyKey: string; body: Members }
  | { problem: string };

/** The target: the alias `external_id`, or a subscription. */
export type OnesignalTarget = { externalId: string } | { subscriptionId: string };

/**
 * Reads a message by the rules of "Create message" (documentation.onesignal.com/reference/push-notification and
 * /reference/create-message), of the vendor's OpenAPI description (the model `Notification` of OneSignal/onesignal-node-api),
 * and of /reference/idempotent-notification-requests. OneSignal silently drops unknown fields. The simulator refuses
 * them, so that tests notice.
 */
export function readOnesignalMessage({ headers, body: bytes }: HttpRequest): ReadOnesignalMessage {
  if (!hasType(headers, jsonType)) return { problem: `Content-Type must be ${jsonType}` };
  const body = parseObject(bytes);
  if (!body) return { problem: 'Malformed JSON' };
  const target = readTarget(body);
  if ('problem' in target) return target;
  const missing = Object.keys(required).find((name) => !(name in body));
  const problem = missing ? required[missing] : findProblem(body, fields);
  if (problem !== undefined) return { problem: problem };
  return { target, idempotencyKey: String(body['idempotency_key']), body };
}

const englishIsMissing = 'Message Notifications must have English language content';
const required: Record<string, string> = {
  app_id: 'app_id is invalid',
  contents: englishIsMissing,
  idempotency_key: 'idempotency_key is missing',
};

/** "Choose only one strategy": IDs are "not compatible with any other targeting parameters". Belfry sends to one person. */
function readTarget(body: Members): OnesignalTarget | { problem: string } {
  const usedTargetings = targetings.filter((name) => name in body);
  if (usedTargetings.length !== 1)
    return { problem: `Use one targeting parameter (got ${usedTargetings.length})` };
  if ('include_aliases' in body) return readAlias(body);
  const subscriptionId = readOne(body['include_subscription_ids']);
  if (subscriptionId === undefined) return { problem: onePerson };
  return uuid.test(subscriptionId)
    ? { subscriptionId }
    : {
        problem: 'Incorrect subscription_id format in include_subscription_ids (not a valid UUID)',
      };
}

/** "use with target_channel to indicate you are sending a push or email or sms" */
function readAlias(body: Members): OnesignalTarget | { problem: string } {
  if (!('target_channel' in body)) return { problem: 'target_channel is required with aliases' };
  const aliases = toRecord(body['include_aliases']) ?? {};
  const externalId = readOne(aliases['external_id']);
  const isOnly = Object.keys(aliases).length === 1;
  return isOnly && externalId !== undefined ? { externalId } : { problem: onePerson };
}

const onePerson = 'This simulator sends to one person at a time';
const targetings = [
  'include_aliases',
  'include_subscription_ids',
  'included_segments',
  'filters',
  'include_external_user_ids',
  'include_player_ids',
];

function readOne(list: unknown): string | undefined {
  const [first, ...rest] = Array.isArray(list) ? list : [];
  return typeof first === 'string' && first !== '' && rest.length === 0 ? first : undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** "Keys must be unique v3 or v4 UUID format." */
const uuidOfVersion3Or4 =
  /^[0-9a-f]{8}-[0-9a-f]{4}-[34][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const dataBytes = 2_048;
const collapseIdCharacters = 64;
const ttlSeconds = 2_419_200;

/** By language code. English is required, and a text is a string. */
const isTexts: Rule = (value) => {
  const entries = Object.entries(toRecord(value) ?? {});
  if (!entries.some(([language]) => language === 'en')) return englishIsMissing;
  const isWrong = entries.some(
    ([language, each]) => !/^[a-z]{2}(-[A-Za-z]{2,4})?$/.test(language) || isText(each),
  );
  return isWrong ? 'must have a non-empty string by language code' : undefined;
};

const isData: Rule = (value) =>
  isObject(value) ??
  (Buffer.byteLength(JSON.stringify(value)) > dataBytes ? 'is over 2048 bytes' : undefined);

/** Every field that Belfry may send. */
const fields: Record<string, Rule> = {
  app_id: matches(uuid, 'is invalid'),
  target_channel: isEnum('push'),
  include_aliases: isAnything,
  include_subscription_ids: isAnything,
  idempotency_key: matches(uuidOfVersion3Or4, 'must be a UUID of version 3 or 4'),
  contents: isTexts,
  headings: isTexts,
  subtitle: isMapOfStrings,
  data: isData,
  url: matches(/^[a-z][a-z0-9+.-]*:./i, 'must be a URL'),
  big_picture: isText,
  chrome_web_image: isText,
  ios_attachments: isMapOfStrings,
  collapse_id: isTextUpTo(collapseIdCharacters),
  ttl: isInteger(0, ttlSeconds),
  priority: isInteger(1, 10),
  android_channel_id: matches(uuid, 'must be a UUID'),
  existing_android_channel_id: isText,
  android_group: isText,
  android_sound: isText,
  android_accent_color: matches(/^[0-9a-f]{8}$/i, 'must be ARGB in hexadecimal'),
  small_icon: isText,
  large_icon: isText,
  chrome_web_icon: isText,
  chrome_web_badge: isText,
  thread_id: isText,
  ios_sound: isText,
  ios_category: isText,
  ios_badgeType: isEnum('None', 'SetTo', 'Increase'),
  ios_badgeCount: isInteger(-1_000_000, 1_000_000),
  ios_interruption_level: isEnum('active', 'passive', 'time_sensitive', 'critical'),
  mutable_content: isFlag,
  content_available: isFlag,
};
