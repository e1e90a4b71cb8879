import { LRUCache } from 'lru-cache';
import { type Http, type HttpResponse, retryAfterMs } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import type { ServiceAccount } from './service-account';

export type AccessTokens = {
  /** `key` names integration and version: tokens are kept by it. */
  find(
    account: ServiceAccount,
    options: { key: string; signal: AbortSignal },
  ): Promise<AccessToken>;
  /** The token was refused: the next call asks for another one. */
  drop(key: string): void;
};

export type AccessToken = { token: string } | { failure: FailedOutcome };

export type AccessTokensDeps = {
  http: Http;
  /** Where tokens are given out, when it is not Google itself. */
  url: string | undefined;
};

const maxCachedCredentials = 500;
export const tokenRequestTimeoutMs = 10_000;

/**
 * Access tokens by firebase-admin, which keeps each until shortly before its end. Its calls go over our own HTTP: by
 * itself it follows a proxy of the environment, tries again up to three times, and has no deadline.
 */
export function createAccessTokens({ http, url }: AccessTokensDeps): AccessTokens {
  const credentialCache = new LRUCache<string, Promise<CachedCredential>>({
    max: maxCachedCredentials,
  });
  let maker: Promise<Maker> | undefined;

  return {
    async find(account, { key, signal }) {
      const credential = await (credentialCache.get(key) ?? cacheCredential(key, account));
      return beforeEnd(credential.requestToken(), signal);
    },
    drop(key) {
      credentialCache.delete(key);
    },
  };

  function cacheCredential(key: string, account: ServiceAccount): Promise<CachedCredential> {
    maker ??= loadMaker(account);
    const credential = maker.then((make) => createCredential(make(account), { http, url }));
    credentialCache.set(key, credential);
    return credential;
  }
}

type Credential = { getAccessToken(): Promise<{ access_token: string }> };
type Maker = (account: ServiceAccount) => Credential;

/**
 * firebase-admin, loaded at the first message: only the worker that sends pushes has it in memory. Its `cert` keeps for
 * ever what it made, and gives two integrations with one account the same; so it is asked once, for the class.
 */
async function loadMaker(first: ServiceAccount): Promise<Maker> {
  const { cert } = await import('firebase-admin/app');
  const { constructor: ServiceAccountCredential } = cert({ ...first });
  return (account) => {
    const credential: unknown = Reflect.construct(ServiceAccountCredential, [{ ...account }]);
    if (!isCredential(credential)) throw new Error('firebase-admin makes no credential any more');
    return credential;
  };
}

function isCredential(value: unknown): value is Credential {
  return typeof toRecord(value)?.['getAccessToken'] === 'function';
}

type CachedCredential = { requestToken(): Promise<AccessToken> };

function createCredential(
  credential: Credential,
  { http, url = googleTokenUrl }: AccessTokensDeps,
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
      // Several messages may wait for it, so it does not end with one of them.
      signal: AbortSignal.timeout(tokenRequestTimeoutMs),
    });
    return toResponse(httpResult);
  });
  return {
    requestToken() {
      // Messages that come together ask once.
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
      // The error may hold the assertion; all that counts was seen at the connection.
      return { failure: classifyRefusal(httpResult) };
    }
  }
}

const googleTokenUrl = 'https://oauth2.googleapis.com/token';

/** firebase-admin ignores the agent that its interface takes; what it asks with is reached through its own client. */
function routeCalls(credential: object, post: (body: string) => Promise<Response>): void {
  const getGoogleAuth: unknown = Reflect.get(credential, 'getGoogleAuth');
  if (typeof getGoogleAuth === 'function') getGoogleAuth.call(credential);
  const transporter = toRecord(toRecord(Reflect.get(credential, 'authClient'))?.['transporter']);
  const defaults = toRecord(transporter?.['defaults']);
  if (!defaults) throw new Error('firebase-admin keeps its HTTP client elsewhere than it did');
  defaults['fetchImplementation'] = (_url: unknown, init?: { body?: unknown }) =>
    post(String(init?.body ?? ''));
}

/** Any refusal is a 400 to the library, which does not try such a call again. */
function toResponse(httpResult: HttpResponse | NetworkFailure): Response {
  const headers = { 'content-type': 'application/json' };
  const isSuccess = !('isWritten' in httpResult) && httpResult.status === 200;
  return isSuccess
    ? new Response(new Uint8Array(httpResult.body), { status: 200, headers })
    : new Response('{}', { status: 400, headers });
}

/** What a header can carry. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(token);
}

/** Nothing was sent to anybody yet, so whatever went wrong can be tried again, unless Google says no. */
function classifyRefusal(httpResult: HttpResponse | NetworkFailure | undefined): FailedOutcome {
  if (!httpResult) return unreadable;
  if ('isWritten' in httpResult) return { ...classifyFailure({ ...httpResult, isWritten: false }) };
  const { status, headers, body } = httpResult;
  const isRefusal = status >= 400 && status < 500 && status !== 429 && status !== 408;
  if (isRefusal) return createRefusal(toRecord(parseJson(body))?.['error']);
  const afterMs = retryAfterMs(headers, Date.now());
  return { ...unreadable, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** Google's words are not repeated: they may hold the assertion. */
function createRefusal(error: unknown): FailedOutcome {
  const reason =
    typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : 'token_refused';
  return {
    outcome: 'rejected',
    scope: 'integration',
    reason,
    detail: `Google gives no access token for the service account (${reason}): its key was deleted, the account is disabled, or the clock of this machine is wrong.`,
  };
}

const unreadable = {
  outcome: 'retry',
  reason: 'no_access_token',
  detail: 'Google gave no access token; nothing was sent.',
} as const satisfies FailedOutcome;

/** The answer, unless the message that asked has no more time. */
function beforeEnd(tokenPromise: Promise<AccessToken>, signal: AbortSignal): Promise<AccessToken> {
  if (signal.aborted) return Promise.resolve({ failure: tooLate });
  return new Promise((resolve) => {
    const end = () => resolve({ failure: tooLate });
    signal.addEventListener('abort', end, { once: true });
    void tokenPromise.then(resolve).finally(() => signal.removeEventListener('abort', end));
  });
}

const tooLate: FailedOutcome = {
  outcome: 'retry',
  reason: 'no_access_token',
  detail: 'Google did not give an access token in time; nothing was sent.',
};
