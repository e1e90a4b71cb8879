import type { BulkSend } from '@belfry/pipeline/accept';
import { createYieldWhenDue } from '@belfry/runtime';
import { createBulkSendBody, parseJsonInSteps, type WireChannels } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { createAccountQueue, type RunInSequence } from '../account-queue';
import type { Operation } from '../operation';
import type { PreparedPost, UnparsedPostCall } from '../post';
import { acceptedBody } from './events';

export type BulkRouteDeps = {
  channels: WireChannels;
  bulkSend: BulkSend;
  maxBatchItems: number;
  /** Shared by all readers of large bodies. */
  readInSequence: RunInSequence;
};

const yieldEveryMs = 1;

/**
 * `POST /v1/apps/{app_id}/events/bulk_send`. Batches are read one at a time and written one at a time. Concurrent batches
 * would delay single sends.
 */
export function createBulkSendRoute({
  channels,
  bulkSend,
  maxBatchItems,
  readInSequence,
}: BulkRouteDeps) {
  const writeInSequence = createAccountQueue();

  async function prepare(call: UnparsedPostCall): Promise<PreparedPost> {
    const { callId, caller, idempotencyKey, traceparent } = call;
    const isKeyed = idempotencyKey !== undefined;
    const batch = await readInSequence(caller.accountId, async () => {
      const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
      const body = await parseJsonInSteps(call.bytes, { isBatch: true, yieldWhenDue });
      return bulkSend.readBatch({ callId, body, isKeyed });
    });
    const { accountId, apiKeyId, app } = caller;
    const head = { callId, accountId, apiKeyId, app, idempotencyKey, traceparent };
    const buildBody = (id: string) => acceptedBody(id, { accepted: batch.items.length });
    return {
      canonicalBody: () => batch.canonical,
      work: {
        buildBody,
        async run(key) {
          const outcome = await writeInSequence(accountId, () =>
            bulkSend.acceptBatch({ ...head, batch, key }),
          );
          return outcome.isWritten ? { isWritten: true, body: buildBody(callId) } : outcome;
        },
      },
    };
  }

  const body = createBulkSendBody(channels, maxBatchItems);
  return { operation: { ...bulkSendOperation, body }, prepare };
}

const requestIdSchema = Type.String({ format: 'uuid' });

const acceptedId = '0199b1f5-40d2-7b91-9c3e-6d7e8f90a1b2';

const bulkSendOperation = {
  method: 'post',
  path: '/v1/apps/{app_id}/events/bulk_send',
  id: 'bulkSend',
  summary: 'Send an event to many recipients',
  description: `Accepts all elements or none: if one is invalid, the batch is refused and the error names its index. An invalid address
does not refuse the batch: that channel of that element is skipped. \`override\`, \`schedule_at\`, \`locale\`, \`metadata\` and
\`cancel_key\` next to \`batch\` apply to every element without its own. A batch may have 1,000 elements (configurable).`,
  bodyExamples: {
    two: {
      summary: 'Two recipients, each with its own data',
      value: {
        event: 'order_shipped',
        batch: [
          { user: { email: 'ana@example.com' }, data: { user_name: 'Ana' } },
          {
            user: { user_id: 'customer-1' },
            data: { user_name: 'Ben' },
            override: { email: { message: { subject: 'Two parcels' } } },
          },
        ],
        locale: 'de',
      },
    },
  },
  answer: Type.Object({
    request_id: requestIdSchema,
    id: requestIdSchema,
    success: Type.Boolean(),
    accepted: Type.Integer({ description: 'Number of elements in the batch.' }),
  }),
  answerExample: { request_id: acceptedId, id: acceptedId, success: true, accepted: 2 },
  errors: { event_not_found: {}, event_not_live: {} },
} satisfies Omit<Operation, 'body'>;
