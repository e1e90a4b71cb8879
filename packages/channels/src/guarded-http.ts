import { createHttp, type HttpCall, type HttpResponse } from './http';
import { describeTransportError } from './network-failure';
import {
  blockedAddressCode,
  createGuardedLookup,
  type GuardOptions,
  isAllowedHost,
  isBlockedHost,
} from './public-address';

/** `refused` is permanent, `unavailable` temporary. `code` is the network error, if there is one. */
export type GuardedFailure = {
  failed: 'refused' | 'unavailable';
  detail: string;
  code?: string | undefined;
};

export type GuardedHttp = {
  request(call: HttpCall): Promise<HttpResponse | GuardedFailure>;
  close(): void;
};

/**
 * Calls URLs that callers provide, and nothing that a caller must not reach: https on port 443 of public addresses, or
 * any port of a host allowed by name. It follows no redirects.
 */
export function createGuardedHttp(options: GuardOptions): GuardedHttp {
  const http = createHttp({ lookup: createGuardedLookup(options) });
  return {
    async request(call) {
      const problem = findUrlProblem(call.url, options);
      if (problem) return { failed: 'refused', detail: `The URL ${problem}.` };
      const answer = await http.request(call);
      if ('status' in answer) return answer;
      const { code } = answer;
      return code === blockedAddressCode
        ? { failed: 'refused', detail: `The URL ${notPublic}.`, code }
        : { failed: 'unavailable', detail: describeTransportError(answer), code };
    },
    close: () => http.close(),
  };
}

/** The rule that a URL breaks, such as `must use https`. The addresses of a name are checked with each connection. */
export function findUrlProblem(
  urlText: string,
  options: Pick<GuardOptions, 'allowedPrivateHosts'>,
): string | undefined {
  const url = URL.canParse(urlText) ? new URL(urlText) : undefined;
  if (!url) return 'must be a valid URL';
  if (url.username || url.password) return 'must not have a user name or password';
  if (isBlockedHost(url.hostname, options)) return notPublic;
  if (!['http:', 'https:'].includes(url.protocol)) return onlyHttps;
  if (isAllowedHost(url.hostname, options.allowedPrivateHosts)) return undefined;
  if (url.protocol !== 'https:') return onlyHttps;
  if (url.port !== '') return 'must use port 443';
  return undefined;
}

const onlyHttps = 'must use https';
export const notPublic = 'must have a public address';
