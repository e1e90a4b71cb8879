import { LRUCache } from 'lru-cache';
import { type Http, type HttpAnswer, retryAfterMs } from '../http';
import { type NetworkFailure, sortFailure, type Unanswered } from '../network-failure';
import { membersOf, parseJson } from '../read-json';
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

export type AccessToken = { token: string } | { refused: Unanswered };

export type AccessTokensDeps = {
  http: Http;
  /** Where tokens are given out, when it is not Google itself. */
  url: string | undefined;
};

const keptCredentials = 500;
export const askTimeoutMs = 10_000;

/**
 * Access tokens by firebase-admin, which keeps each until shortly before its end. Its calls go over our own HTTP: by
 * itself it follows a proxy of the environment, tries again up to three times, and has no deadline.
 */
export function createAccessTokens({ http, url }: AccessTokensDeps): AccessTokens {
  const kept = new LRUCache<string, Promise<KeptCredential>>({ max: keptCredentials });
  let made: Promise<Maker> | undefined;

  return {
    async find(account, { key, signal }) {
      const credential = await (kept.get(key) ?? keep(key, account));
      return beforeEnd(credential.ask(), signal);
    },
    drop(key) {
      kept.delete(key);
    },
  };

  function keep(key: string, account: ServiceAccount): Promise<KeptCredential> {
    made ??= loadMaker(account);
    const credential = made.then((make) => createCredential(make(account), { http, url }));
    kept.set(key, credential);
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
  return typeof membersOf(value)?.['getAccessToken'] === 'function';
}

type KeptCredential = { ask(): Promise<AccessToken> };

function createCredential(
  credential: Credential,
  { http, url = googleTokenUrl }: AccessTokensDeps,
): KeptCredential {
  let seen: HttpAnswer | NetworkFailure | undefined;
  let asked: Promise<AccessToken> | undefined;
  routeCalls(credential, async (body) => {
    seen = await http.request({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body,
      // Several messages may wait for it, so it does not end with one of them.
      signal: AbortSignal.timeout(askTimeoutMs),
    });
    return toResponse(seen);
  });
  return {
    ask() {
      // Messages that come together ask once.
      asked ??= askOnce().finally(() => {
        asked = undefined;
      });
      return asked;
    },
  };

  async function askOnce(): Promise<AccessToken> {
    seen = undefined;
    try {
      const { access_token: token } = await credential.getAccessToken();
      return isToken(token) ? { token } : { refused: unreadable };
    } catch {
      // The error may hold the assertion; all that counts was seen at the connection.
      return { refused: sortRefusal(seen) };
    }
  }
}

const googleTokenUrl = 'https://oauth2.googleapis.com/token';

/** firebase-admin ignores the agent that its interface takes; what it asks with is reached through its own client. */
function routeCalls(credential: object, post: (body: string) => Promise<Response>): void {
  const getGoogleAuth: unknown = Reflect.get(credential, 'getGoogleAuth');
  if (typeof getGoogleAuth === 'function') getGoogleAuth.call(credential);
  const transporter = membersOf(membersOf(Reflect.get(credential, 'authClient'))?.['transporter']);
  const defaults = membersOf(transporter?.['defaults']);
  if (!defaults) throw new Error('firebase-admin keeps its HTTP client elsewhere than it did');
  defaults['fetchImplementation'] = (_url: unknown, init?: { body?: unknown }) =>
    post(String(init?.body ?? ''));
}

/** Any refusal is a 400 to the library, which does not try such a call again. */
function toResponse(seen: HttpAnswer | NetworkFailure): Response {
  const headers = { 'content-type': 'application/json' };
  const isGiven = !('isWritten' in seen) && seen.status === 200;
  return isGiven
    ? new Response(new Uint8Array(seen.body), { status: 200, headers })
    : new Response('{}', { status: 400, headers });
}

/** What a header can carry. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(token);
}

/** Nothing was sent to anybody yet, so whatever went wrong can be tried again, unless Google says no. */
function sortRefusal(seen: HttpAnswer | NetworkFailure | undefined): Unanswered {
  if (!seen) return unreadable;
  if ('isWritten' in seen) return { ...sortFailure({ ...seen, isWritten: false }) };
  const { status, headers, body } = seen;
  const isNo = status >= 400 && status < 500 && status !== 429 && status !== 408;
  if (isNo) return noOf(membersOf(parseJson(body))?.['error']);
  const afterMs = retryAfterMs(headers, Date.now());
  return { ...unreadable, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** Google's words are not repeated: they may hold the assertion. */
function noOf(error: unknown): Unanswered {
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
} as const satisfies Unanswered;

/** The answer, unless the message that asked has no more time. */
function beforeEnd(asked: Promise<AccessToken>, signal: AbortSignal): Promise<AccessToken> {
  if (signal.aborted) return Promise.resolve({ refused: tooLate });
  return new Promise((resolve) => {
    const end = () => resolve({ refused: tooLate });
    signal.addEventListener('abort', end, { once: true });
    void asked.then(resolve).finally(() => signal.removeEventListener('abort', end));
  });
}

const tooLate: Unanswered = {
  outcome: 'retry',
  reason: 'no_access_token',
  detail: 'Google did not give an access token in time; nothing was sent.',
};
