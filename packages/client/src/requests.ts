import type { Transport } from './call';
import type { RequestStatus } from './generated/wire';
import { type CallOptions, readPathPart } from './options';
import { buildQuery } from './query';
import { requireText } from './require-text';

export type Requests = {
  /** Status of a send or bulk send. To get the next page of messages, pass `next` as `cursor`. */
  get(requestId: string, page?: RequestPage, options?: CallOptions): Promise<RequestStatus>;
  /** Status of the app's send or bulk send with this idempotency key. */
  find(query: RequestQuery, options?: CallOptions): Promise<RequestStatus>;
};

export type RequestQuery = RequestPage & { idempotencyKey: string };

export type RequestPage = {
  /** Maximum number of messages, up to 100. Default: 20. */
  limit?: number;
  /** `next` of the previous page. */
  cursor?: string;
};

export function createRequests(transport: Transport): Requests {
  return {
    get: (requestId, page, options) => readRequest(transport, requestId, page, options),
    find: (query, options) => findRequest(transport, query, options),
  };
}

/** Status of a send or bulk send. To get the next page of messages, pass `next` as `cursor`. */
export async function readRequest(
  transport: Transport,
  requestId: string,
  page: RequestPage = {},
  options?: CallOptions,
): Promise<RequestStatus> {
  const path = `/requests/${readPathPart('requestId', requestId)}${buildQuery(page)}`;
  return transport({ name: 'requests.get', method: 'GET', path }, options);
}

/** Status of the app's send or bulk send with this idempotency key. */
export async function findRequest(
  transport: Transport,
  query: RequestQuery,
  options?: CallOptions,
): Promise<RequestStatus> {
  const name = 'requests.find';
  requireText(name, query, 'idempotencyKey');
  const { idempotencyKey: idempotency_key, ...page } = query;
  const path = `/requests${buildQuery({ idempotency_key, ...page })}`;
  return transport({ name, method: 'GET', path }, options);
}
