import { createHttp, type HttpResponse } from './http';
import { describeTransportError, type NetworkFailure } from './network-failure';
import {
  blockedAddressCode,
  createGuardedLookup,
  type GuardOptions,
  isAllowedHost,
  isBlockedHost,
} from './public-address';

/** The fetched bytes, or the failure: `refused` is permanent, `unavailable` temporary. */
export type FetchResult = { body: Buffer } | { failed: 'refused' | 'unavailable'; detail: string };

export type GuardedFetch = {
  fetch(url: string, signal: AbortSignal): Promise<FetchResult>;
  close(): void;
};

export const maxFetchedBytes = 5 * 1024 * 1024;
export const fetchTimeoutMs = 10_000;

/**
 * Fetches URLs that callers provide, and nothing that a caller must not reach: https on port 443 of
 * public addresses, or any port of a host allowed by name. No redirects; size and time are limited.
 */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  const http = createHttp({ lookup: createGuardedLookup(options) });
  return {
    async fetch(url, signal) {
      const problem = findUrlProblem(url, options);
      if (problem) return { failed: 'refused', detail: problem };
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

function findUrlProblem(urlText: string, options: GuardOptions): string | undefined {
  const url = URL.canParse(urlText) ? new URL(urlText) : undefined;
  if (!url) return 'The URL is invalid.';
  if (url.username || url.password) return 'The URL must not have a user name or password.';
  if (isBlockedHost(url.hostname, options)) return notPublic;
  if (!['http:', 'https:'].includes(url.protocol)) return onlyHttps;
  if (isAllowedHost(url.hostname, options.allowedPrivateHosts)) return undefined;
  if (url.protocol !== 'https:') return onlyHttps;
  if (url.port !== '') return 'The URL must use port 443.';
  return undefined;
}

const onlyHttps = 'The URL must use https.';
const notPublic = 'The host is not a public address.';

function readResponse({ status, body }: HttpResponse): FetchResult {
  if (status === 200) return { body };
  if (status >= 300 && status < 400) {
    return { failed: 'refused', detail: `HTTP status ${status}. Redirects are not followed.` };
  }
  const isTemporary = status >= 500 || status === 408 || status === 425 || status === 429;
  return { failed: isTemporary ? 'unavailable' : 'refused', detail: `HTTP status ${status}.` };
}

function readFailure(failure: NetworkFailure): FetchResult {
  if (failure.code === blockedAddressCode) return { failed: 'refused', detail: notPublic };
  if (failure.code === 'ERESPONSETOOLARGE') {
    return { failed: 'refused', detail: `It has more than ${maxFetchedBytes} bytes.` };
  }
  return { failed: 'unavailable', detail: describeTransportError(failure) };
}
