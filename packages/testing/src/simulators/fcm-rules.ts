import { parseObject, toRecord } from './read-object';
import {
  findProblem,
  isEnum,
  isFlag,
  isInteger,
  isList,
  isMapOfStrings,
  isObject,
  isObjectWith,
  isString,
  isTextUpTo,
  type Members,
  matches,
  type Rule,
} from './rules';

/** A valid message, or why FCM refuses it. */
export type ReadFcmMessage = { message: Members; isCheckOnly: boolean } | { problem: FcmProblem };

/** `isOfGoogle`: the API's front end refuses a body that is not a message, before FCM assigns a code of its own. */
export type FcmProblem = { text: string; isOfGoogle?: true };

/**
 * Reads the body of `messages:send` by firebase.google.com/docs/reference/fcm/rest/v1/projects.messages. An unknown name
 * is an "Unknown name" error, as is a value of another type.
 */
export function readFcmMessage(bytes: Buffer): ReadFcmMessage {
  const body = parseObject(bytes);
  const message = toRecord(body?.['message']);
  if (!body || !message) return refuse('Invalid JSON payload received.', true);
  const unknown = findProblem(body, { message: isObject, validate_only: isFlag });
  const problem = unknown ?? findProblem(message, messageRules);
  if (problem !== undefined) return refuse(`Invalid value at 'message': ${problem}`, true);
  const targets = ['token', 'topic', 'condition'].filter((name) => name in message);
  if (targets.length !== 1) return refuse('Recipient of the message is not set.');
  const isToken =
    message['token'] === undefined || registrationToken.test(String(message['token']));
  if (!isToken) return refuse('The registration token is not a valid FCM registration token');
  const bytesSent = countPayloadBytes(message);
  const limit = 'topic' in message ? topicPayloadBytes : payloadBytes;
  if (bytesSent > limit) return refuse('Android message is too big');
  return { message, isCheckOnly: body['validate_only'] === true };
}

function refuse(text: string, isOfGoogle = false): { problem: FcmProblem } {
  return { problem: { text, ...(isOfGoogle ? { isOfGoogle: true } : {}) } };
}

const registrationToken = /^[\w:-]{1,4096}$/;
/** "The maximum payload for both message types is 4096 bytes" (docs/cloud-messaging/concept-options), 2048 to topics. */
const payloadBytes = 4_096;
const topicPayloadBytes = 2_048;

function countPayloadBytes({ notification = {}, data = {} }: Members): number {
  const pairs = [notification, data].flatMap((each) => Object.entries(toRecord(each) ?? {}));
  return pairs.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
}

/** "should not be a reserved word ("from", "message_type", or any word starting with "google." or "gcm.notification.")" */
const reservedKey = /^(from$|message_type$|google\.|gcm\.)/;

const isData: Rule = (value) => {
  const problem = isMapOfStrings(value);
  if (problem !== undefined) return problem;
  const reserved = Object.keys(toRecord(value) ?? {}).find((key) => reservedKey.test(key));
  return reserved === undefined ? undefined : `must not have the reserved key ${reserved}`;
};

const fourWeeksSeconds = 2_419_200;
const apnsCollapseIdBytes = 64;

/** "A duration in seconds with up to nine fractional digits, ending with 's'"; "supported is 4 weeks". */
const isDuration: Rule = (value) =>
  typeof value === 'string' &&
  /^\d+(\.\d{1,9})?s$/.test(value) &&
  Number.parseFloat(value) <= fourWeeksSeconds
    ? undefined
    : 'must be a duration of at most 4 weeks, such as 3.5s';

const isShown = { title: isString, body: isString, image: isString };

/** "^[a-zA-Z0-9-_.~%]{1,50}$" (docs/reference/fcm/rest/v1/projects.messages#fcmoptions) */
const fcmOptions = { analytics_label: matches(/^[a-zA-Z0-9\-_.~%]{1,50}$/, 'is not a label') };

const androidNotification = isObjectWith({
  ...isShown,
  icon: isString,
  color: matches(/^#[0-9a-f]{6}$/i, 'must be #rrggbb'),
  sound: isString,
  tag: isString,
  click_action: isString,
  channel_id: isString,
  ticker: isString,
  sticky: isFlag,
  local_only: isFlag,
  default_sound: isFlag,
  default_vibrate_timings: isFlag,
  notification_priority: isEnum(
    ...['PRIORITY_UNSPECIFIED', 'PRIORITY_MIN', 'PRIORITY_LOW'],
    ...['PRIORITY_DEFAULT', 'PRIORITY_HIGH', 'PRIORITY_MAX'],
  ),
  visibility: isEnum('VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'),
  notification_count: isInteger(0, 2 ** 31 - 1),
});

/** Apple's rules for its headers (developer.apple.com, "Sending notification requests to APNs"). */
const apnsHeaders = isObjectWith({
  'apns-priority': isEnum('1', '5', '10'),
  'apns-expiration': matches(/^\d{1,10}$/, 'must be seconds since the epoch'),
  'apns-collapse-id': (value) =>
    isString(value) ??
    (Buffer.byteLength(String(value)) > apnsCollapseIdBytes ? 'is over 64 bytes' : undefined),
  'apns-push-type': isEnum('alert', 'background', 'voip', 'complication', 'fileprovider', 'mdm'),
});

const webNotification = isObjectWith({
  ...isShown,
  icon: isString,
  badge: isString,
  tag: isString,
  lang: isString,
  dir: isEnum('auto', 'ltr', 'rtl'),
  renotify: isFlag,
  requireInteraction: isFlag,
  silent: isFlag,
  actions: isList(isObject, { most: 100 }),
});

/** RFC 8030, sections 5.2 to 5.4. */
const webHeaders = isObjectWith({
  TTL: matches(/^\d+$/, 'must be seconds'),
  Urgency: isEnum('very-low', 'low', 'normal', 'high'),
  Topic: matches(/^[\w-]{1,32}$/, 'must have 1 to 32 characters of base64url'),
});

const messageRules: Record<string, Rule> = {
  token: isString,
  topic: matches(/^[a-zA-Z0-9\-_.~%]{1,900}$/, 'is not a topic'),
  condition: isString,
  notification: isObjectWith(isShown),
  data: isData,
  android: isObjectWith({
    collapse_key: isString,
    priority: isEnum('NORMAL', 'HIGH', 'normal', 'high'),
    ttl: isDuration,
    restricted_package_name: isString,
    direct_boot_ok: isFlag,
    data: isData,
    notification: androidNotification,
    fcm_options: isObjectWith(fcmOptions),
  }),
  apns: isObjectWith({
    headers: apnsHeaders,
    payload: isObjectWith({ aps: isObject }, ['aps']),
    fcm_options: isObjectWith({ ...fcmOptions, image: isTextUpTo(Number.POSITIVE_INFINITY) }),
  }),
  webpush: isObjectWith({
    headers: webHeaders,
    data: isData,
    notification: webNotification,
    fcm_options: isObjectWith({
      ...fcmOptions,
      link: matches(/^https:\/\/\S/, 'must be an https URL'),
    }),
  }),
  fcm_options: isObjectWith(fcmOptions),
};
