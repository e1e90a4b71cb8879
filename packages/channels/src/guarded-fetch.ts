import { createGuardedHttp, type GuardedFailure } from './guarded-http';
import type { HttpResponse } from './http';
import type { GuardOptions } from './public-address';

/** The fetched bytes, or the failure. */
export type FetchResult = { body: Buffer } | Pick<GuardedFailure, 'failed' | 'detail'>;

export type GuardedFetch = {
  fetch(url: string, signal: AbortSignal): Promise<FetchResult>;
  close(): void;
};

export const maxFetchedBytes = 5 * 1024 * 1024;
export const fetchTimeoutMs = 10_000;

/** Downloads a file from a URL that a caller provides. Size and time are limited. */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  const http = createGuardedHttp(options);
  return {
    async fetch(url, signal) {
      const answer = await http.request({
        method: 'GET',
        url,
        headers: { accept: '*/*', 'accept-encoding': 'identity' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(fetchTimeoutMs)]),
        maxResponseBytes: maxFetchedBytes,
      });
      return 'status' in answer ? readResponse(answer) : readFailure(answer);
    },
    close: () => http.close(),
  };
}

function readResponse({ status, body }: HttpResponse): FetchResult {
  if (status === 200) return { body };
  if (status >= 300 && status < 400) {
    return { failed: 'refused', detail: `HTTP status ${status}. Redirects are not followed.` };
  }
  const isTemporary = status >= 500 || status === 408 || status === 425 || status === 429;
  return { failed: isTemporary ? 'unavailable' : 'refused', detail: `HTTP status ${status}.` };
}

function readFailure({ failed, detail, code }: GuardedFailure): FetchResult {
  if (code === 'ERESPONSETOOLARGE') {
    return { failed: 'refused', detail: `It has more than ${maxFetchedBytes} bytes.` };
  }
  return { failed, detail };
}
