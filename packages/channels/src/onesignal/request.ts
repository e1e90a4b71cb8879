import { Value } from '@sinclair/typebox/value';
import type { DescribeCall } from '../channel';
import { createIdempotencyKey } from './idempotency-key';
import { onesignalPayload } from './integration';
import { readOnesignalTarget } from './target';
import type { OnesignalContent } from './template';

/** The key under which an app reports the result of a notification, as for a push. */
const notificationIdKey = 'raven_notification_id';

/** The body of `POST /notifications`: one person, and an idempotency key. */
export function createOnesignalRequest(
  call: DescribeCall<OnesignalContent>,
): Record<string, unknown> {
  const { messageId, target, content, settings, payload } = call;
  const { title, body, image, click_action: link, data } = content;
  const own = Value.Check(onesignalPayload, payload) ? payload : {};
  // OneSignal requires English; the text is in the recipient's language.
  const contents = body === '' ? { en: title } : { en: body };
  return {
    collapse_id: messageId,
    ...own,
    app_id: settings['app_id'],
    ...describeAudience(target),
    idempotency_key: createIdempotencyKey(messageId),
    contents: contents,
    ...(title === '' || body === '' ? {} : { headings: { en: title } }),
    ...(link ? { url: link } : {}),
    ...(image ? buildPictureFields(image) : {}),
    data: { ...data, [notificationIdKey]: messageId },
  };
}

/**
 * Either a subscription or an alias: they are "not compatible with any other targeting parameters",
 * and an alias needs a channel.
 */
function describeAudience(target: string): Record<string, unknown> {
  const read = readOnesignalTarget(target);
  if ('subscriptionId' in read) return { include_subscription_ids: [read.subscriptionId] };
  return { target_channel: 'push', include_aliases: { external_id: [target] } };
}

/** Each platform has its own field for the image. */
function buildPictureFields(image: string): Record<string, unknown> {
  return { big_picture: image, chrome_web_image: image, ios_attachments: { picture: image } };
}
