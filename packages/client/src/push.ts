import type { Transport } from './call';
import type { PushStatusAnswer, PushStatusBody } from './generated/wire';
import type { WriteOptions } from './options';
import { requireText } from './require-text';

export type Push = {
  /** What an app tells of a notification, by the `raven_notification_id` of its data. */
  status(body: PushStatusBody, options?: WriteOptions): Promise<PushStatusAnswer>;
};

export function createPush(transport: Transport): Push {
  return { status: (body, options) => reportPushStatus(transport, body, options) };
}

/** What an app tells of a notification, by the `raven_notification_id` of its data. */
export async function reportPushStatus(
  transport: Transport,
  body: PushStatusBody,
  options?: WriteOptions,
): Promise<PushStatusAnswer> {
  const name = 'push.status';
  requireText(name, body, 'notification_id');
  return transport({ name, method: 'POST', path: '/push/status', body }, options);
}
