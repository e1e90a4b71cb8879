import { LRUCache } from 'lru-cache';
import { type Http, type HttpResponse, retryAfterMs } from '../http';
import {
  classifyFailure,
  describeTransportError,
  type FailedOutcome,
  getEndpoint,
  type NetworkFailure,
} from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import type { ServiceAccount } from './service-account';

export type AccessTokens = {
  /** `key` contains integration and version; tokens are cached by it. */
  find(
    account: ServiceAccount,
    options: { key: string; signal: AbortSignal },
  ): Promise<AccessToken>;
  /** Call it when a token was refused: the next call requests a new one. */
  drop(key: string): void;
};

export type AccessToken = { token: string } | { failure: FailedOutcome };

export type AccessTokensDeps = {
  http: Http;
  /** The token endpoint, when it is not Google's. */
  url: string | undefined;
};

const maxCachedCredentials = 500;
export const tokenRequestTimeoutMs = 10_000;

/**
 * Access tokens from firebase-admin, which caches each until shortly before it expires. Calls use
 * our own HTTP client: firebase-admin's follows proxy variables, retries up to three times, and has
 * no deadline.
 */
export function createAccessTokens({ http, url = googleTokenUrl }: AccessTokensDeps): AccessTokens {
  const credentialCache = new LRUCache<string, Promise<CachedCredential>>({
    max: maxCachedCredentials,
  });
  let factory: Promise<CredentialFactory> | undefined;

  return {
    async find(account, { key, signal }) {
      const credential = await (credentialCache.get(key) ?? cacheCredential(key, account));
      return unlessAborted(credential.requestToken(), { signal, url });
    },
    drop(key) {
      credentialCache.delete(key);
    },
  };

  function cacheCredential(key: string, account: ServiceAccount): Promise<CachedCredential> {
    factory ??= loadCredentialFactory(account);
    const credential = factory.then((make) => createCredential(make(account), { http, url }));
    credentialCache.set(key, credential);
    return credential;
  }
}

type Credential = { getAccessToken(): Promise<{ access_token: string }> };
type CredentialFactory = (account: ServiceAccount) => Credential;

/**
 * Loads firebase-admin with the first message, so only workers that send pushes have it in memory.
 * `cert` caches its results for ever and shares them between integrations of one account, so it is
 * called only once, for its class.
 */
async function loadCredentialFactory(first: ServiceAccount): Promise<CredentialFactory> {
  const { cert } = await import('firebase-admin/app');
  const { constructor: ServiceAccountCredential } = cert({ ...first });
  return (account) => {
    const credential: unknown = Reflect.construct(ServiceAccountCredential, [{ ...account }]);
    if (!isCredential(credential)) throw new Error('firebase-admin no longer creates a credential');
    return credential;
  };
}

function isCredential(value: unknown): value is Credential {
  return typeof toRecord(value)?.['getAccessToken'] === 'function';
}

type CachedCredential = { requestToken(): Promise<AccessToken> };

function createCredential(
  credential: Credential,
  { http, url }: { http: Http; url: string },
): CachedCredential {
  let httpResult: HttpResponse | NetworkFailure | undefined;
  let pendingToken: Promise<AccessToken> | undefined;
  routeCalls(credential, async (body) => {
    httpResult = await http.request({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body,
      // Several messages may wait for this request, so the signal of one must not end it.
      signal: AbortSignal.timeout(tokenRequestTimeoutMs),
    });
    return toResponse(httpResult);
  });
  return {
    requestToken() {
      // Concurrent messages share one request.
      pendingToken ??= requestTokenOnce().finally(() => {
        pendingToken = undefined;
      });
      return pendingToken;
    },
  };

  async function requestTokenOnce(): Promise<AccessToken> {
    httpResult = undefined;
    try {
      const { access_token: token } = await credential.getAccessToken();
      return isToken(token) ? { token } : { failure: unreadable };
    } catch {
      // The error may contain the assertion; the result was seen at the connection.
      return { failure: classifyRefusal(httpResult) };
    }
  }
}

const googleTokenUrl = 'https://oauth2.googleapis.com/token';

/**
 * firebase-admin ignores the agent option of its own interface, so its HTTP client is replaced
 * through a private member.
 */
function routeCalls(credential: object, post: (body: string) => Promise<Response>): void {
  const getGoogleAuth: unknown = Reflect.get(credential, 'getGoogleAuth');
  if (typeof getGoogleAuth === 'function') getGoogleAuth.call(credential);
  const transporter = toRecord(toRecord(Reflect.get(credential, 'authClient'))?.['transporter']);
  const defaults = toRecord(transporter?.['defaults']);
  if (!defaults)
    throw new Error('firebase-admin no longer has its HTTP client in the expected place');
  defaults['fetchImplementation'] = (_url: unknown, init?: { body?: unknown }) =>
    post(String(init?.body ?? ''));
}

/** Any refusal becomes a 400, which firebase-admin does not retry. */
function toResponse(httpResult: HttpResponse | NetworkFailure): Response {
  const headers = { 'content-type': 'application/json' };
  const isSuccess = !('isWritten' in httpResult) && httpResult.status === 200;
  return isSuccess
    ? new Response(new Uint8Array(httpResult.body), { status: 200, headers })
    : new Response('{}', { status: 400, headers });
}

/** Characters that a header value may have. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(token);
}

/** No message was sent yet, so any failure can be retried, unless Google refuses. */
function classifyRefusal(httpResult: HttpResponse | NetworkFailure | undefined): FailedOutcome {
  if (!httpResult) return unreadable;
  if ('isWritten' in httpResult) return { ...classifyFailure({ ...httpResult, isWritten: false }) };
  const { status, headers, body } = httpResult;
  const isRefusal = status >= 400 && status < 500 && status !== 429 && status !== 408;
  if (isRefusal) return createRefusal(toRecord(parseJson(body))?.['error']);
  const afterMs = retryAfterMs(headers, Date.now());
  return { ...unreadable, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** Google's text is not repeated, because it may contain the assertion. */
function createRefusal(error: unknown): FailedOutcome {
  const reason =
    typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : 'token_refused';
  return {
    outcome: 'rejected',
    scope: 'integration',
    reason,
    detail: `Google refused an access token for the service account (${reason}). Check that its key exists, the account is enabled, and this machine’s clock is right.`,
  };
}

const unreadable = {
  outcome: 'retry',
  reason: 'no_access_token',
  detail: 'Google returned no access token. Nothing was sent.',
} as const satisfies FailedOutcome;

/** The token, unless the signal fires first. */
function unlessAborted(
  tokenPromise: Promise<AccessToken>,
  { signal, url }: { signal: AbortSignal; url: string },
): Promise<AccessToken> {
  const startedAtMs = performance.now();
  if (signal.aborted) return Promise.resolve({ failure: tooLate(url, 0) });
  return new Promise((resolve) => {
    const end = () => resolve({ failure: tooLate(url, performance.now() - startedAtMs) });
    signal.addEventListener('abort', end, { once: true });
    void tokenPromise.then(resolve).finally(() => signal.removeEventListener('abort', end));
  });
}

function tooLate(url: string, elapsedMs: number): FailedOutcome {
  const endpoint = getEndpoint(new URL(url));
  const timeout = describeTransportError({ code: 'ABORT_ERR', endpoint, elapsedMs });
  return {
    outcome: 'retry',
    reason: 'no_access_token',
    detail: `${timeout} Google returned no access token.`,
  };
}
