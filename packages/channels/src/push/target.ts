import type { Recipient, RecipientDevice } from '@belfry/shared';
import type { Target, Targeting } from '../channel';

/** What registration tokens are written with; their length is nobody's promise. */
const registrationToken = /^[A-Za-z0-9:_-]{1,4096}$/;
const topicName = /^[A-Za-z0-9\-_.~%]{1,900}$/;
/** No token holds a slash, so that nothing is both. */
const topicPrefix = '/topics/';

/**
 * A message for each token, topic and device group that the call names, else for each device of the stored user. The
 * notification key of a group is a token to FCM (firebase.google.com/docs/cloud-messaging/android/device-group).
 */
export function findPushTargets(recipient: Recipient): Targeting {
  const { fcmTokens = [], iosTokens = [], fcmTopics = [], fcmDeviceGroups = [] } = recipient;
  const tokens = [...fcmTokens, ...iosTokens, ...fcmDeviceGroups].map((token) => token.trim());
  const topics = fcmTopics.map((topic) => topicPrefix + topic.trim().replace(/^\/topics\//, ''));
  const addresses = [...new Set([...tokens, ...topics])].filter((address) => address !== '');
  if (addresses.length > 0) return toTargeting(addresses.map((address) => ({ address })));
  return findDeviceTargets(recipient.devices ?? []);
}

/** What FCM is told of a target. */
export function readPushTarget(
  target: string,
): { token: string } | { topic: string } | { malformed: string } {
  if (target.startsWith(topicPrefix)) {
    const topic = target.slice(topicPrefix.length);
    return topicName.test(topic) ? { topic } : { malformed: malformedTopic };
  }
  return registrationToken.test(target) ? { token: target } : { malformed: malformedToken };
}

/** A topic, which anybody may follow. */
export function isSharedPushTarget(target: string): boolean {
  return target.startsWith(topicPrefix);
}

/** sandbox:bounce */
export function findMagicWordOfPush(target: string): string | undefined {
  return /^sandbox:([a-z]+)$/i.exec(target)?.[1]?.toLowerCase();
}

const malformedToken = 'The token has another form than those of FCM.';
const malformedTopic = 'The name of a topic has 1 to 900 letters, digits and any of - _ . ~ %.';

const noDevice: Targeting = {
  skip: 'no_address',
  detail:
    'The recipient has no device with an fcm_token, and no fcm_tokens, ios_tokens, fcm_topic or fcm_device_group.',
};

/** What is malformed among others becomes a message that fails, so that it is seen; alone it is why there is none. */
function toTargeting(targets: Target[]): Targeting {
  const problems = targets.flatMap(({ address }) => {
    const read = readPushTarget(address);
    return 'malformed' in read ? [read.malformed] : [];
  });
  const [problem] = problems;
  if (problem !== undefined && problems.length === targets.length) {
    return { skip: 'invalid_address', detail: problem };
  }
  return { targets };
}

/** The first that can be reached decides: a person who switched one phone off still has the other. */
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
    ? { skip: 'opted_out', detail: 'Notifications are switched off on every device of the user.' }
    : { skip: 'suppressed', detail: 'The push tokens of all devices of the user are dead.' };
}
