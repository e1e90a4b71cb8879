import type { Transport } from './call';
import type { RequestStatus } from './generated/wire';
import { type CallOptions, readPathPart } from './options';
import { buildQuery } from './query';

export type Requests = {
  /** What became of a send or bulk send; the next page of its messages begins behind `next` of this one. */
  get(requestId: string, page?: RequestPage, options?: CallOptions): Promise<RequestStatus>;
};

export type RequestPage = {
  /** Messages, at most; 20 unless told otherwise, at most 100. */
  limit?: number;
  /** `next` of the page before. */
  cursor?: string;
};

export function createRequests(transport: Transport): Requests {
  return { get: (requestId, page, options) => readRequest(transport, requestId, page, options) };
}

/** What became of a send or bulk send; the next page of its messages begins behind `next` of this one. */
export async function readRequest(
  transport: Transport,
  requestId: string,
  page: RequestPage = {},
  options?: CallOptions,
): Promise<RequestStatus> {
  const path = `/requests/${readPathPart('requestId', requestId)}${buildQuery(page)}`;
  return transport({ name: 'requests.get', method: 'GET', path }, options);
}
