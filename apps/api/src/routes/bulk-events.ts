import type { BulkSend } from '@belfry/accepting';
import { createSemaphore, createYieldWhenDue } from '@belfry/runtime';
import { AppError, createBulkSendBody, parseJsonInSteps, type WireChannels } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { accepted } from '../accepted';
import type { Answer } from '../answer';
import type { Operation } from '../openapi';
import type { UnparsedPostCall } from '../post';

export type BulkRouteDeps = {
  channels: WireChannels;
  bulkSend: BulkSend;
  maxBatchItems: number;
};

const yieldEveryMs = 10;
const maxWaiting = 100;

/** `POST /v1/apps/{app_id}/events/bulk_send`, one at a time: side by side they would hold up every single send. */
export function createBulkSendRoute({ channels, bulkSend, maxBatchItems }: BulkRouteDeps) {
  const turns = createSemaphore(1);
  let waiting = 0;

  async function answer(call: UnparsedPostCall): Promise<Answer> {
    if (waiting >= maxWaiting) throw tooManyWait();
    waiting += 1;
    const release = await turns.acquire();
    try {
      return await answerInTurn(call);
    } finally {
      waiting -= 1;
      release();
    }
  }

  async function answerInTurn(call: UnparsedPostCall): Promise<Answer> {
    const body = await parseJsonInSteps(call.bytes, createYieldWhenDue(yieldEveryMs));
    const { callId, caller, idempotencyKey } = call;
    const result = await bulkSend({
      callId,
      accountId: caller.accountId,
      apiKeyId: caller.apiKeyId,
      app: caller.app,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      body,
    });
    return accepted(result, { accepted: result.accepted });
  }

  const body = createBulkSendBody(channels, maxBatchItems);
  return { operation: { ...bulkSendOperation, body }, answer };
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
