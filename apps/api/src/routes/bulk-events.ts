import type { BulkSend } from '@belfry/accepting';
import { createSemaphore, createYieldWhenDue } from '@belfry/runtime';
import { AppError, createBulkSendBody, parseJsonInSteps, type WireChannels } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { acceptedBody } from '../accepted';
import type { Operation } from '../openapi';
import type { PreparedPost, UnparsedPostCall } from '../post';

export type BulkRouteDeps = {
  channels: WireChannels;
  bulkSend: BulkSend;
  maxBatchItems: number;
};

const yieldEveryMs = 10;
const maxWaiting = 100;

/**
 * `POST /v1/apps/{app_id}/events/bulk_send`: one batch is read at a time, and one is written. Side by side they
 * would hold up every single send.
 */
export function createBulkSendRoute({ channels, bulkSend, maxBatchItems }: BulkRouteDeps) {
  const readInTurn = createTurns();
  const writeInTurn = createTurns();

  async function prepare(call: UnparsedPostCall): Promise<PreparedPost> {
    const { callId, caller, idempotencyKey } = call;
    const isKeyed = idempotencyKey !== undefined;
    const batch = await readInTurn(async () => {
      const body = await parseJsonInSteps(call.bytes, createYieldWhenDue(yieldEveryMs));
      return bulkSend.readBatch({ callId, body, isKeyed });
    });
    const { accountId, apiKeyId, app } = caller;
    const bodyOf = (id: string) => acceptedBody(id, { accepted: batch.items.length });
    return {
      canonicalBody: () => batch.canonical,
      bodyOf,
      async run(key) {
        const written = await writeInTurn(() =>
          bulkSend.acceptBatch({ callId, accountId, apiKeyId, app, batch, idempotencyKey, key }),
        );
        return written.isWritten ? { isWritten: true, body: bodyOf(callId) } : written;
      },
    };
  }

  const body = createBulkSendBody(channels, maxBatchItems);
  return { operation: { ...bulkSendOperation, body }, prepare };
}

/** Lets one in at a time, in the order they came; refuses with 503 whom there is no room for. */
function createTurns() {
  const turns = createSemaphore(1);
  let inside = 0;
  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (inside >= maxWaiting) throw tooManyWait();
    inside += 1;
    const release = await turns.acquire();
    try {
      return await work();
    } finally {
      inside -= 1;
      release();
    }
  };
}

function tooManyWait(): AppError {
  return new AppError('unavailable', 'too many batches wait for their turn: try again', {
    headers: { 'Retry-After': '1' },
  });
}

const requestIdSchema = Type.String({ format: 'uuid' });

const bulkSendOperation = {
  method: 'post',
  path: '/v1/apps/{app_id}/events/bulk_send',
  id: 'bulkSend',
  summary: 'Send an event to many recipients: all of them are accepted, or none.',
  answer: Type.Object({
    request_id: requestIdSchema,
    id: requestIdSchema,
    success: Type.Boolean(),
    accepted: Type.Integer({ description: 'Elements of the batch.' }),
  }),
  errors: ['event_not_found', 'event_not_live'],
} satisfies Omit<Operation, 'body'>;
