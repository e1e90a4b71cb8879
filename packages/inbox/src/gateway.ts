import { limit, type Platform, wait } from './platform';
import type { InboxError, InboxOptions } from './types';

export type Call = {
  method?: 'GET' | 'PUT';
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
};

export type CallResult<T> =
  | { ok: true; body: T }
  | { ok: false; error: Omit<InboxError, 'during'>; isTemporary: boolean; retryAfterMs: number };

export type Gateway = {
  /** One request, and a second one with a new token if the first was refused with 401. Rejects without an answer. */
  send(call: Call): Promise<Response>;
  /** Gets JSON. Repeats after a temporary failure: every call of the inbox can be repeated. */
  call<T>(call: Call): Promise<CallResult<T>>;
};

const maxAttempts = 3;
const maxRetryAfterMs = 300_000;
const maxCallRetryAfterMs = 10_000;

export function createGateway(options: InboxOptions, platform: Platform): Gateway {
  const { userId, signature, getToken } = options;
  const { times } = platform;
  const base = options.url.endsWith('/') ? options.url.slice(0, -1) : options.url;
  const root = `${base}/v1/apps/${encodeURIComponent(options.appId)}/in_app_notifications/`;
  const tokens = getToken && createTokens(getToken, times.callMs);

  async function send(call: Call): Promise<Response> {
    const token = await tokens?.get();
    const response = await request(call, token);
    if (response.status !== 401 || !tokens) return response;
    void response.body?.cancel();
    return request(call, await tokens.renew(token));
  }

  function request(call: Call, token: string | undefined): Promise<Response> {
    const { method = 'GET', path, query, body, headers, signal = null } = call;
    // With a token, the URL names nobody.
    const search = toSearch(token === undefined ? { ...query, user_id: userId } : query);
    return platform.fetch(`${root}${path}${search}`, {
      method,
      signal,
      headers: {
        ...(token === undefined
          ? { 'X-Raven-User-Signature': signature ?? '' }
          : { Authorization: `Bearer ${token}` }),
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
      cache: 'no-store',
      credentials: 'omit',
      // A credential must not reach another host.
      redirect: 'error',
      // A click on a link marks its item as read while the page is left.
      keepalive: method === 'PUT',
    });
  }

  async function attempt<T>(call: Call): Promise<CallResult<T>> {
    try {
      return await limit(times.callMs, call.signal, async (signal) =>
        readAnswer<T>(await send({ ...call, signal })),
      );
    } catch (error) {
      const code = error instanceof TokenError ? 'token_failed' : 'network_error';
      const { message } = toError(error);
      return { ok: false, error: { code, message }, isTemporary: true, retryAfterMs: 0 };
    }
  }

  return {
    send,
    async call<T>(call: Call) {
      const signal = call.signal ?? new AbortController().signal;
      for (let count = 1; ; count += 1) {
        const result = await attempt<T>(call);
        if (count === maxAttempts || signal.aborted || !isWorthRepeating(result)) return result;
        const backOffMs = times.retryMs * 2 ** count * (0.5 + platform.random() / 2);
        await wait(platform, Math.max(backOffMs, result.retryAfterMs), signal);
      }
    },
  };
}

function isWorthRepeating<T>(result: CallResult<T>): result is CallResult<T> & { ok: false } {
  return !result.ok && result.isTemporary && result.retryAfterMs <= maxCallRetryAfterMs;
}

function toSearch(query: Call['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}

async function readAnswer<T>(response: Response): Promise<CallResult<T>> {
  const { status } = response;
  const text = await response.text();
  const body = parseJson(text);
  if (response.ok && body !== undefined) return { ok: true, body: body as T };
  const { code = 'unexpected_answer', error = `HTTP ${status}` } = (body ?? {}) as {
    code?: string;
    error?: string;
  };
  return {
    ok: false,
    error: { code, message: error, status },
    isTemporary: status === 429 || status >= 500,
    retryAfterMs: readRetryAfterMs(response),
  };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The gateway sends seconds. */
export function readRetryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('Retry-After'));
  return seconds > 0 ? Math.min(seconds * 1_000, maxRetryAfterMs) : 0;
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

class TokenError extends Error {}

/** Keeps one token. Concurrent calls share one call of `getToken`. */
function createTokens(getToken: NonNullable<InboxOptions['getToken']>, timeoutMs: number) {
  let current: Promise<string> | undefined;

  function get(): Promise<string> {
    current ??= fetchToken();
    return current;
  }

  async function fetchToken(): Promise<string> {
    try {
      const token = await limit(timeoutMs, undefined, getToken);
      if (!token) throw new Error('it returned no token');
      return token;
    } catch (cause) {
      current = undefined;
      throw new TokenError(`getToken failed: ${toError(cause).message}`);
    }
  }

  /** Gets a new token, unless another call already replaced the refused one. */
  async function renew(refused: string | undefined): Promise<string> {
    const seen = current;
    if (seen && (await seen) === refused && current === seen) current = undefined;
    return get();
  }

  return { get, renew };
}
