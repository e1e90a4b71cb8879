import type { StatusPage, StatusPlace } from '@belfry/pipeline/operate';
import { createSemaphore } from '@belfry/runtime';
import {
  AppError,
  isBlank,
  type RequestStatus,
  requestStatusAnswer,
  requestStatusToWire,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { Answer } from '../call';
import { maxKeyBytes } from '../middleware/before-body';
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
  /** The id of the app's newest request with this idempotency key. */
  findRequestByKey(appId: string, idempotencyKey: string): Promise<string | undefined>;
};

/** Counting a large bulk is slow. This leaves the other connections to other look-ups. */
const maxConcurrentReads = 2;

/** The routes that read the status of one request, without its content: by its id, and by its idempotency key. */
export function createRequestStatusRoutes({
  readRequestStatus,
  findRequestByKey,
}: RequestStatusDeps) {
  const reads = createSemaphore(maxConcurrentReads);

  async function answer(
    { caller, query }: QueryCall,
    findId: () => Promise<string | undefined> | string,
  ): Promise<Answer> {
    const limit = readQueryNumber(query, 'limit', pageLimits);
    const after = readCursor(query);
    const release = await reads.acquire();
    try {
      const requestId = await findId();
      if (requestId === undefined) throw new AppError('request_not_found');
      // Read one more than the page size to see whether there is a next page.
      const page = { appId: caller.app.id, requestId, after, limit: limit + 1 };
      const request = await readRequestStatus(page);
      if (!request) throw new AppError('request_not_found');
      const body = requestStatusToWire(...takePage(request, limit));
      return { status: 200, body: JSON.stringify(body) };
    } finally {
      release();
    }
  }

  return {
    read: {
      operation: readOperation,
      answer(call: QueryCall): Promise<Answer> {
        const requestId = readRequestId(call.path);
        return answer(call, () => requestId);
      },
    },
    find: {
      operation: findOperation,
      async answer(call: QueryCall): Promise<Answer> {
        const key = readKey(call.query);
        return answer(call, () => findRequestByKey(call.caller.app.id, key));
      },
    },
  };
}

/** The same rules as for the header. */
function readKey(query: Query): string {
  const key = Object.hasOwn(query, 'idempotency_key') ? query['idempotency_key'] : undefined;
  if (typeof key === 'string' && !isBlank(key) && key.length <= maxKeyBytes) return key;
  throw new AppError('idempotency_key_invalid', keyProblem);
}

const keyProblem = `idempotency_key must be sent once, with 1 to ${maxKeyBytes} characters`;

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
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
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

const pageQuery = {
  limit: {
    description: `Messages per page. Default: ${pageLimits.defaultValue}.`,
    schema: Type.Integer({ minimum: pageLimits.minimum, maximum: pageLimits.maximum }),
  },
  cursor: { description: '`next` of the previous page.', schema: Type.String() },
};

const statusOperation = {
  method: 'get',
  answer: requestStatusAnswer,
  answerExample: requestStatusExample,
} as const;

const readOperation = {
  ...statusOperation,
  path: '/v1/apps/{app_id}/requests/{request_id}',
  id: 'readRequest',
  summary: 'Read the status of a request',
  description: `Returns the messages of one send or bulk send with their states, without content and with masked addresses. There is no list
of requests, so keep the \`request_id\` from the response of the send. An item that is not planned yet counts as \`waiting\` once
for each channel of the event. A request and its messages are deleted 30 days (configurable) after all messages are final.`,
  query: pageQuery,
  errors: {
    request_not_found: {},
    validation_failed: { text: 'limit must be a whole number from 1 to 100' },
  },
} satisfies Operation;

const findOperation = {
  ...statusOperation,
  path: '/v1/apps/{app_id}/requests',
  id: 'findRequest',
  summary: 'Find a request by its idempotency key',
  description: `Returns the same as reading the request by its \`request_id\`. It finds the send or bulk send of this app with this
\`Idempotency-Key\`, as long as the request is stored. If a key was used again after a day, it finds the newest request.`,
  query: {
    idempotency_key: {
      description: 'The `Idempotency-Key` of the send.',
      isRequired: true,
      example: 'order-A-1001-shipped',
      schema: Type.String({ minLength: 1, maxLength: maxKeyBytes }),
    },
    ...pageQuery,
  },
  errors: {
    idempotency_key_invalid: { text: keyProblem },
    request_not_found: {},
    validation_failed: { text: 'limit must be a whole number from 1 to 100' },
  },
} satisfies Operation;
