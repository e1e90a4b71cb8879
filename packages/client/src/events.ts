import type { Transport } from './call';
import type {
  BulkSendAnswer,
  BulkSendBody,
  DryRunAnswer,
  SendEventAnswer,
  SendEventBody,
} from './generated/wire';
import type { CallOptions, WriteOptions } from './options';
import { requireText } from './require-text';

export type Events = {
  /** Resolves once the request is stored. */
  send(body: SendEventBody, options?: WriteOptions): Promise<SendEventAnswer>;
  /** What `send` would do with the same body; nothing is stored, and nothing is sent. */
  dryRun(body: SendEventBody, options?: CallOptions): Promise<DryRunAnswer>;
  /** All elements of the batch are stored, or none. */
  bulkSend(body: BulkSendBody, options?: WriteOptions): Promise<BulkSendAnswer>;
};

export function createEvents(transport: Transport): Events {
  return {
    send: (body, options) => sendEvent(transport, body, options),
    dryRun: (body, options) => dryRunEvent(transport, body, options),
    bulkSend: (body, options) => bulkSend(transport, body, options),
  };
}

/** Resolves once the request is stored. */
export async function sendEvent(
  transport: Transport,
  body: SendEventBody,
  options?: WriteOptions,
): Promise<SendEventAnswer> {
  const name = 'events.send';
  requireText(name, body, 'event');
  return transport({ name, method: 'POST', path: '/events/send', body }, options);
}

/** What `sendEvent` would do with the same body; nothing is stored, and nothing is sent. */
export async function dryRunEvent(
  transport: Transport,
  body: SendEventBody,
  options?: CallOptions,
): Promise<DryRunAnswer> {
  const name = 'events.dryRun';
  requireText(name, body, 'event');
  const path = '/events/send?dry_run=true';
  return transport({ name, method: 'POST', path, body, isUnkeyed: true }, options);
}

/** All elements of the batch are stored, or none. */
export async function bulkSend(
  transport: Transport,
  body: BulkSendBody,
  options?: WriteOptions,
): Promise<BulkSendAnswer> {
  const name = 'events.bulkSend';
  requireText(name, body, 'event');
  if (!Array.isArray(body.batch) || body.batch.length === 0) {
    throw new TypeError(`${name}: batch must be an array that is not empty`);
  }
  return transport({ name, method: 'POST', path: '/events/bulk_send', body }, options);
}
