import { type Http, type HttpAnswer, retryAfterMs, sortStatus } from '../http';
import { type NetworkFailure, sortFailure, type Unanswered } from '../network-failure';
import { isRecord, membersOf, parseJson } from '../read-json';
import { redact } from '../redact';
import { sortSlackCode } from './codes';

export type SlackMethod =
  | 'users.lookupByEmail'
  | 'conversations.open'
  | 'chat.postMessage'
  | 'auth.test';

/** A token for each call, and the signal that ends it. */
export type SlackAccess = { token: string; signal: AbortSignal };

/** Slack's yes with its body, or what its no means; `response` is what may be kept of it. */
export type SlackReply =
  | { body: Record<string, unknown> }
  | { refused: Unanswered; code: string | undefined; response: Record<string, unknown> };

export type SlackApi = {
  call(
    method: SlackMethod,
    args: Record<string, unknown>,
    access: SlackAccess,
  ): Promise<SlackReply>;
};

/** `url` is where the API is, when it is not Slack itself. */
export function createSlackApi({ http, url }: { http: Http; url: string | undefined }): SlackApi {
  let sdk: Promise<typeof import('@slack/web-api')> | undefined;
  return {
    async call(method, args, { token, signal }) {
      let seen: HttpAnswer | NetworkFailure | undefined;
      sdk ??= import('@slack/web-api');
      const { LogLevel, WebClient } = await sdk;
      // A client a call: it holds no token, and its fetch knows the deadline of this call alone.
      const client = new WebClient(undefined, {
        ...(url ? { slackApiUrl: url } : {}),
        allowAbsoluteUrls: false,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        logger: { ...silent, getLevel: () => LogLevel.ERROR },
        async fetch(to, init = {}) {
          const { headers = {}, body } = init;
          seen = await http.request({
            method: 'POST',
            url: String(to),
            headers,
            body: typeof body === 'string' ? body : '',
            signal,
          });
          if ('isWritten' in seen) throw new Error('no answer');
          return toResponse(seen);
        },
      });
      try {
        await client.apiCall(method, { ...args, token });
      } catch (error) {
        // The error may hold the token; all that counts was seen at the connection.
        if (!seen) throw new Error(`${method} could not be built`, { cause: nameOf(error) });
      }
      return read(seen, method, token);
    },
  };
}

const quiet = () => undefined;
const silent = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  setLevel: quiet,
  setName: quiet,
};

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function toResponse({ status, headers, body }: HttpAnswer): Response {
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  const retryAfter = headers['retry-after'];
  return new Response(hasBody ? body : null, {
    status,
    headers: {
      'content-type': headers['content-type'] ?? '',
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    },
  });
}

function read(
  seen: HttpAnswer | NetworkFailure | undefined,
  method: SlackMethod,
  token: string,
): SlackReply {
  if (!seen || 'isWritten' in seen) {
    const failure = seen ?? { code: undefined, isWritten: true };
    return { refused: sortFailure(failure), code: undefined, response: { method } };
  }
  const { status, headers } = seen;
  const body = membersOf(parseJson(seen.body));
  if (status === 200 && body?.['ok'] === true) return { body };
  const response = { method, status, ...keep(body, token) };
  if (status !== 200) return { refused: sortStatus(status, headers), code: undefined, response };
  const code = codeOf(body);
  if (!code) return { refused: unreadable, code, response };
  return { refused: withWait(sortSlackCode(code), seen), code, response };
}

const unreadable: Unanswered = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Slack’s answer could not be read, so the message may have been posted.',
};

/** Anything that is not written like a code is a page of something in between. */
function codeOf(body: Record<string, unknown> | undefined): string | undefined {
  const code = body?.['ok'] === false ? body['error'] : undefined;
  return typeof code === 'string' && /^[a-z0-9_]{1,64}$/.test(code) ? code : undefined;
}

/** A wait that Slack names with its code wins over ours. */
function withWait(outcome: Unanswered, { headers }: HttpAnswer): Unanswered {
  if (outcome.outcome !== 'retry') return outcome;
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? outcome : { ...outcome, afterMs };
}

const maxTexts = 10;
const maxTextCharacters = 300;

/** What of an answer may be stored: these fields, cut, and without the token. */
function keep(body: Record<string, unknown> | undefined, token: string): Record<string, unknown> {
  const metadata = body?.['response_metadata'];
  const kept = {
    error: textOf(body?.['error'], token),
    needed: textOf(body?.['needed'], token),
    provided: textOf(body?.['provided'], token),
    errors: textsOf(body?.['errors'], token),
    messages: textsOf(isRecord(metadata) ? metadata['messages'] : undefined, token),
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

function textOf(value: unknown, token: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  return redact(value, [token]).slice(0, maxTextCharacters);
}

function textsOf(value: unknown, token: string): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, maxTexts)
    .map((text) => textOf(text, token))
    .filter((text) => text !== undefined);
}
