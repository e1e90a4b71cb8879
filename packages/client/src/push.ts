import type { Call } from './call';
import type { PushStatusAnswer, PushStatusBody } from './generated/wire';
import type { WriteOptions } from './options';
import { requireText } from './require-text';

export type Push = {
  /** What an app tells of a notification, by the `raven_notification_id` of its data. */
  status(body: PushStatusBody, options?: WriteOptions): Promise<PushStatusAnswer>;
};

export function createPush(call: Call): Push {
  return {
    async status(body, options) {
      const name = 'push.status';
      requireText(name, body, 'notification_id');
      return call({ name, method: 'POST', path: '/push/status', body }, options);
    },
  };
}
