import type { Recipient, RecipientDevice } from '@belfry/shared';
import type { Target, Targeting } from '../channel';

/** The characters of registration tokens; their length is not documented. */
const registrationToken = /^[A-Za-z0-9:_-]{1,4096}$/;
const topicName = /^[A-Za-z0-9\-_.~%]{1,900}$/;
/** No token contains a slash, so nothing is both a token and a topic. */
const topicPrefix = '/topics/';

/**
 * One message per token, topic and device group in the call, or else per device of the stored user.
 * FCM treats the notification key of a group as a token
 * (firebase.google.com/docs/cloud-messaging/android/device-group).
 */
export function findPushTargets(recipient: Recipient): Targeting {
  const { fcmTokens = [], iosTokens = [], fcmTopics = [], fcmDeviceGroups = [] } = recipient;
  const tokens = [...fcmTokens, ...iosTokens, ...fcmDeviceGroups].map((token) => token.trim());
  const topics = fcmTopics.map((topic) => topicPrefix + topic.trim().replace(/^\/topics\//, ''));
  const addresses = [...new Set([...tokens, ...topics])].filter((address) => address !== '');
  if (addresses.length > 0) return toTargeting(addresses.map((address) => ({ address })));
  return findDeviceTargets(recipient.devices ?? []);
}

/** Whether a target is the endpoint of a web push subscription. No token or topic begins so. */
export function isWebPushTarget(target: string): boolean {
  return target.startsWith('https://');
}

/** `canCarry` in packages/pipeline/src/deliver/eligibility.sql.ts says the same in SQL. */
export function getPushProvider(target: string): string {
  return isWebPushTarget(target) ? 'web_push' : 'fcm';
}

/** Parses a target for FCM's request. */
export function readPushTarget(
  target: string,
): { token: string } | { topic: string } | { malformed: string } {
  if (target.startsWith(topicPrefix)) {
    const topic = target.slice(topicPrefix.length);
    return topicName.test(topic) ? { topic } : { malformed: malformedTopic };
  }
  return registrationToken.test(target) ? { token: target } : { malformed: malformedToken };
}

/** A topic, which anybody may subscribe to. */
export function isSharedPushTarget(target: string): boolean {
  return target.startsWith(topicPrefix);
}

/** For example, `sandbox:bounce`. */
export function findMagicWordOfPush(target: string): string | undefined {
  return /^sandbox:([a-z]+)$/i.exec(target)?.[1]?.toLowerCase();
}

const malformedToken = 'The token is not in the form of an FCM registration token.';
const malformedTopic =
  'The name of a topic must have 1 to 900 characters: letters, digits and - _ . ~ %.';

const noDevice: Targeting = {
  skip: 'no_address',
  detail:
    'The recipient has no device with an fcm_token or a push_subscription, and no fcm_tokens, ios_tokens, fcm_topic or fcm_device_group.',
};

/**
 * A malformed target among others becomes a message that fails visibly. Alone, it is the reason for
 * having no target.
 */
function toTargeting(targets: Target[]): Targeting {
  const problems = targets.flatMap(({ address, deviceId }) => {
    // A stored endpoint was validated when the device was added. A call cannot name one.
    if (deviceId !== undefined && isWebPushTarget(address)) return [];
    const read = readPushTarget(address);
    return 'malformed' in read ? [read.malformed] : [];
  });
  const [problem] = problems;
  if (problem !== undefined && problems.length === targets.length) {
    return { skip: 'invalid_address', detail: problem };
  }
  return { targets };
}

/** A person who switched off one phone can still be reached on another. */
function findDeviceTargets(devices: readonly RecipientDevice[]): Targeting {
  const phones = devices.flatMap(({ token, ...device }) =>
    token === undefined ? [] : [{ ...device, token }],
  );
  if (phones.length === 0) return noDevice;
  const enabled = phones.filter(({ disabled }) => disabled === undefined);
  if (enabled.length > 0) {
    return toTargeting(enabled.map(({ id, token }) => ({ address: token, deviceId: id })));
  }
  return phones.some(({ disabled }) => disabled === 'by_client')
    ? { skip: 'opted_out', detail: 'Notifications are off on every device of the user.' }
    : { skip: 'suppressed', detail: 'The push tokens of all the user’s devices are dead.' };
}
