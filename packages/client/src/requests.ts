import type { Call } from './call';
import type { RequestStatus } from './generated/wire';
import { type CallOptions, readPathPart } from './options';
import { queryOf } from './query';

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

export function createRequests(call: Call): Requests {
  return {
    async get(requestId, page = {}, options) {
      const path = `/requests/${readPathPart('requestId', requestId)}${queryOf(page)}`;
      return call({ name: 'requests.get', method: 'GET', path }, options);
    },
  };
}
