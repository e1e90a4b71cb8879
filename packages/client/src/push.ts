import type { Transport } from './call';
import type { PushStatusAnswer, PushStatusBody } from './generated/wire';
import type { WriteOptions } from './options';
import { requireText } from './require-text';

export type Push = {
  /** Reports the status of a push notification, by the `raven_notification_id` in its data. */
  status(body: PushStatusBody, options?: WriteOptions): Promise<PushStatusAnswer>;
};

export function createPush(transport: Transport): Push {
  return { status: (body, options) => reportPushStatus(transport, body, options) };
}

/** Reports the status of a push notification, by the `raven_notification_id` in its data. */
export async function reportPushStatus(
  transport: Transport,
  body: PushStatusBody,
  options?: WriteOptions,
): Promise<PushStatusAnswer> {
  const name = 'push.status';
  requireText(name, body, 'notification_id');
  return transport({ name, method: 'POST', path: '/push/status', body }, options);
}
