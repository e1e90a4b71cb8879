import { Value } from '@sinclair/typebox/value';
import type { DescribeCall } from '../channel';
import { createIdempotencyKey } from './idempotency-key';
import { onesignalPayload } from './integration';
import { readOnesignalTarget } from './target';
import type { OnesignalContent } from './template';

/** The name under which an app reports what became of a notification, as for a push. */
const notificationIdKey = 'raven_notification_id';

/** What `POST /notifications` is sent: one person, and a key that makes a repetition harmless. */
export function createOnesignalRequest(
  call: DescribeCall<OnesignalContent>,
): Record<string, unknown> {
  const { messageId, target, content, settings, payload } = call;
  const { title, body, image, click_action: link, data } = content;
  const own = Value.Check(onesignalPayload, payload) ? payload : {};
  // English is what OneSignal demands; the text is in the language that the person is written to in.
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

/** One of both: they are "not compatible with any other targeting parameters", and an alias needs a channel. */
function describeAudience(target: string): Record<string, unknown> {
  const read = readOnesignalTarget(target);
  if ('subscriptionId' in read) return { include_subscription_ids: [read.subscriptionId] };
  return { target_channel: 'push', include_aliases: { external_id: [target] } };
}

/** Each platform has its own name for it. */
function buildPictureFields(image: string): Record<string, unknown> {
  return { big_picture: image, chrome_web_image: image, ios_attachments: { picture: image } };
}
