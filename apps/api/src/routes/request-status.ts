import type { StatusPage, StatusPlace } from '@belfry/pipeline/operate';
import { createSemaphore } from '@belfry/runtime';
import {
  AppError,
  type RequestStatus,
  requestStatusAnswer,
  requestStatusToWire,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { Answer } from '../call';
import type { Operation } from '../operation';
import { readRequestId } from '../path-values';
import {
  invalidValue,
  pageLimits,
  type Query,
  readQueryNumber,
  readQueryValue,
} from '../query-values';
import type { QueryCall } from '../without-idempotency-key';

export type RequestStatusDeps = {
  /** Undefined if the app has no such request. */
  readRequestStatus(page: StatusPage): Promise<RequestStatus | undefined>;
};

/** Counting a large bulk is slow. This leaves the other connections to other look-ups. */
const maxConcurrentReads = 2;

/** `GET /v1/apps/{app_id}/requests/{request_id}`: the status of one request, without its content. */
export function createRequestStatusRoute({ readRequestStatus }: RequestStatusDeps) {
  const reads = createSemaphore(maxConcurrentReads);

  async function answer({ caller, path, query }: QueryCall): Promise<Answer> {
    const address = { appId: caller.app.id, requestId: readRequestId(path) };
    const limit = readQueryNumber(query, 'limit', pageLimits);
    const after = readCursor(query);
    const release = await reads.acquire();
    try {
      // Read one more than the page size to see whether there is a next page.
      const request = await readRequestStatus({ ...address, after, limit: limit + 1 });
      if (!request) throw new AppError('request_not_found');
      const body = requestStatusToWire(...takePage(request, limit));
      return { status: 200, body: JSON.stringify(body) };
    } finally {
      release();
    }
  }

  return { operation, answer };
}

function takePage(request: RequestStatus, limit: number): Parameters<typeof requestStatusToWire> {
  const entries = request.entries.slice(0, limit);
  const last = request.entries.length > limit ? entries.at(-1) : undefined;
  return [{ ...request, entries }, last && `${last.item}:${last.key}`];
}

function readCursor(query: Query): StatusPlace | undefined {
  const cursor = readQueryValue(query, 'cursor');
  if (cursor === undefined) return undefined;
  const [, item, key] = /^(\d{1,9}):([\w-]{1,64})$/.exec(cursor) ?? [];
  if (item === undefined || key === undefined) {
    throw invalidValue('cursor', 'must be the `next` of an earlier response');
  }
  return { item: Number(item), key };
}

const zeroCounts = {
  total: 0,
  waiting: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
  skipped_by_reason: {},
};

const requestStatusExample = {
  request_id: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42',
  event: 'order_shipped',
  kind: 'single',
  accepted_at: 1767225600000,
  items: 1,
  planned_items: 1,
  counts: { ...zeroCounts, total: 2, waiting: 1, skipped: 1, skipped_by_reason: { no_address: 1 } },
  channels: {
    email: { ...zeroCounts, total: 1, waiting: 1 },
    slack: { ...zeroCounts, total: 1, skipped: 1, skipped_by_reason: { no_address: 1 } },
  },
  messages: [
    {
      id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
      item: 0,
      channel: 'email',
      target: 'a***@example.com',
      state: 'queued',
      generation: 0,
      created_at: 1767225600000,
      due_at: 1767225600000,
    },
    { item: 0, channel: 'slack', state: 'skipped', reason: 'no_address', generation: 0 },
  ],
};

const operation = {
  method: 'get',
  path: '/v1/apps/{app_id}/requests/{request_id}',
  id: 'readRequest',
  summary: 'Read the status of a request',
  description: `Returns the messages of one send or bulk send with their states, without content and with masked addresses. There is no list
of requests, so keep the \`request_id\` from the response of the send. An item that is not planned yet counts as \`waiting\` once
for each channel of the event. A request and its messages are deleted 30 days (configurable) after all messages are final.`,
  query: {
    limit: {
      description: `Messages per page. Default: ${pageLimits.defaultValue}.`,
      schema: Type.Integer({ minimum: pageLimits.minimum, maximum: pageLimits.maximum }),
    },
    cursor: { description: '`next` of the previous page.', schema: Type.String() },
  },
  answer: requestStatusAnswer,
  answerExample: requestStatusExample,
  errors: {
    request_not_found: {},
    validation_failed: { text: 'limit must be a whole number from 1 to 100' },
  },
} satisfies Operation;
