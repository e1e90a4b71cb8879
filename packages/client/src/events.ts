import type { Transport } from './call';
import type {
  BulkSendAnswer,
  BulkSendBody,
  CancelAnswer,
  CancelBody,
  DryRunAnswer,
  SendEventAnswer,
  SendEventBody,
} from './generated/wire';
import type { CallOptions, WriteOptions } from './options';
import { requireText } from './require-text';

export type Events = {
  /** Resolves when the request is stored. */
  send(body: SendEventBody, options?: WriteOptions): Promise<SendEventAnswer>;
  /** Reports what `send` would do with the same body. Stores and sends nothing. */
  dryRun(body: SendEventBody, options?: CallOptions): Promise<DryRunAnswer>;
  /** Stores all elements of the batch, or none. */
  bulkSend(body: BulkSendBody, options?: WriteOptions): Promise<BulkSendAnswer>;
  /** Cancels messages that are not sent yet, by `cancel_key` or `request_id`. If the answer has `next`, repeat with it as `cursor`. */
  cancel(body: CancelBody, options?: WriteOptions): Promise<CancelAnswer>;
};

export function createEvents(transport: Transport): Events {
  return {
    send: (body, options) => sendEvent(transport, body, options),
    dryRun: (body, options) => dryRunEvent(transport, body, options),
    bulkSend: (body, options) => bulkSend(transport, body, options),
    cancel: (body, options) => cancelMessages(transport, body, options),
  };
}

/** Resolves when the request is stored. */
export async function sendEvent(
  transport: Transport,
  body: SendEventBody,
  options?: WriteOptions,
): Promise<SendEventAnswer> {
  const name = 'events.send';
  requireText(name, body, 'event');
  return transport({ name, method: 'POST', path: '/events/send', body }, options);
}

/** Reports what `sendEvent` would do with the same body. Stores and sends nothing. */
export async function dryRunEvent(
  transport: Transport,
  body: SendEventBody,
  options?: CallOptions,
): Promise<DryRunAnswer> {
  const name = 'events.dryRun';
  requireText(name, body, 'event');
  const path = '/events/send?dry_run=true';
  return transport({ name, method: 'POST', path, body, storesNothing: true }, options);
}

/** Stores all elements of the batch, or none. */
export async function bulkSend(
  transport: Transport,
  body: BulkSendBody,
  options?: WriteOptions,
): Promise<BulkSendAnswer> {
  const name = 'events.bulkSend';
  requireText(name, body, 'event');
  if (!Array.isArray(body.batch) || body.batch.length === 0) {
    throw new TypeError(`${name}: batch must be a non-empty array`);
  }
  return transport({ name, method: 'POST', path: '/events/bulk_send', body }, options);
}

/** Cancels messages that are not sent yet, by `cancel_key` or `request_id`. If the answer has `next`, repeat with it as `cursor`. */
export async function cancelMessages(
  transport: Transport,
  body: CancelBody,
  options?: WriteOptions,
): Promise<CancelAnswer> {
  const name = 'events.cancel';
  const hasKey = typeof body?.cancel_key === 'string' && body.cancel_key !== '';
  requireText(name, body, hasKey ? 'cancel_key' : 'request_id');
  return transport({ name, method: 'POST', path: '/events/cancel', body }, options);
}
