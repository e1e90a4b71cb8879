import { Value } from '@sinclair/typebox/value';
import type { DescribeCall } from '../channel';
import { fcmPayload } from './fcm-payload';
import { readPushTarget } from './target';
import { buildData, getNotificationTexts, notificationIdKey, type PushContent } from './template';

type Tree = { [name: string]: unknown };

/** The body of `messages:send`. A resent message replaces the first on the device. */
export function createFcmRequest(call: DescribeCall<PushContent>): { message: Tree } {
  const { messageId, target, content, payload } = call;
  const read = readPushTarget(target);
  const message = {
    ...('malformed' in read ? { token: target } : read),
    ...(content.data_only ? {} : { notification: getNotificationTexts(content) }),
    data: { ...buildData(content), [notificationIdKey]: messageId },
    android: buildAndroid(messageId, content),
    apns: buildApns(messageId, content),
    webpush: buildWebpush(messageId, content),
  };
  // Only known FCM fields of the right type.
  const own = Value.Check(fcmPayload, payload) ? payload : {};
  return { message: mergeTrees(message, own) };
}

function buildAndroid(tag: string, { data_only: isDataOnly }: PushContent): Tree {
  return { priority: 'HIGH', ...(isDataOnly ? {} : { notification: { tag } }) };
}

/** A data message wakes the app; Apple requires low priority for it. */
function buildApns(collapseId: string, { data_only: isDataOnly, image }: PushContent): Tree {
  if (isDataOnly) {
    return {
      headers: {
        'apns-collapse-id': collapseId,
        'apns-priority': '5',
        'apns-push-type': 'background',
      },
      payload: { aps: { 'content-available': 1 } },
    };
  }
  const aps = { sound: 'default', ...(image ? { 'mutable-content': 1 } : {}) };
  return {
    headers: { 'apns-collapse-id': collapseId, 'apns-priority': '10' },
    payload: { aps },
    ...(image ? { fcm_options: { image } } : {}),
  };
}

/** FCM opens only https. For any other link, the page reads it from the data. */
function buildWebpush(
  tag: string,
  { data_only: isDataOnly, click_action: link = '' }: PushContent,
): Tree {
  const options = /^https:\/\//i.test(link) ? { fcm_options: { link } } : {};
  return isDataOnly
    ? { headers: { Urgency: 'high' } }
    : { headers: { Urgency: 'high' }, notification: { tag }, ...options };
}

/** The depth of both is limited by the code above and by the payload schema. */
function mergeTrees(under: Tree, over: Tree): Tree {
  const merged = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isTree(below) && isTree(value) ? mergeTrees(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
