import { classifyStatus, type Http, type HttpResponse, retryAfterMs } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { isRecord, parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import { classifySlackCode } from './codes';

export type SlackMethod =
  | 'users.lookupByEmail'
  | 'conversations.open'
  | 'chat.postMessage'
  | 'auth.test';

/** The token of one call, and the signal that ends it. */
export type SlackAccess = { token: string; signal: AbortSignal };

/**
 * Slack's success with its body, or the classified error. `response` is the part that may be
 * stored.
 */
export type SlackReply =
  | { body: Record<string, unknown> }
  | { failure: FailedOutcome; code: string | undefined; response: Record<string, unknown> };

export type SlackApi = {
  call(
    method: SlackMethod,
    args: Record<string, unknown>,
    access: SlackAccess,
  ): Promise<SlackReply>;
};

/** `url` is the API base URL, when it is not Slack's. */
export function createSlackApi({ http, url }: { http: Http; url: string | undefined }): SlackApi {
  let sdk: Promise<typeof import('@slack/web-api')> | undefined;
  return {
    async call(method, args, { token, signal }) {
      let httpResult: HttpResponse | NetworkFailure | undefined;
      let cause: string | undefined;
      sdk ??= import('@slack/web-api');
      const { LogLevel, WebClient } = await sdk;
      // One client per call: it has no token, and its fetch knows only this call's deadline.
      const client = new WebClient(undefined, {
        ...(url ? { slackApiUrl: url } : {}),
        allowAbsoluteUrls: false,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        logger: { ...silent, getLevel: () => LogLevel.ERROR },
        async fetch(to, init = {}) {
          const { headers = {}, body } = init;
          httpResult = await http.request({
            method: 'POST',
            url: String(to),
            headers,
            body: typeof body === 'string' ? body : '',
            signal,
          });
          if ('isWritten' in httpResult) throw new Error('no answer');
          return toResponse(httpResult);
        },
      });
      try {
        await client.apiCall(method, { ...args, token });
      } catch (error) {
        // The error may contain the token; the result was seen at the connection.
        cause = getErrorName(error);
      }
      if (!httpResult) throw new Error(`${method} could not be built`, { cause });
      return read(httpResult, method, token);
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

function getErrorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function toResponse({ status, headers, body }: HttpResponse): Response {
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
  httpResult: HttpResponse | NetworkFailure,
  method: SlackMethod,
  token: string,
): SlackReply {
  if ('isWritten' in httpResult)
    return { failure: classifyFailure(httpResult), code: undefined, response: { method } };
  const { status, headers } = httpResult;
  const body = toRecord(parseJson(httpResult.body));
  if (status === 200 && body?.['ok'] === true) return { body };
  const response = { method, status, ...pickFields(body, token) };
  if (status !== 200)
    return { failure: classifyStatus(status, headers), code: undefined, response };
  const code = getErrorCode(body);
  if (!code) return { failure: unreadable, code, response };
  return { failure: withWait(classifySlackCode(code), httpResult), code, response };
}

const unreadable: FailedOutcome = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Slack’s response could not be read, so the message may have been posted.',
};

/** Anything that does not look like a code is a page from a proxy. */
function getErrorCode(body: Record<string, unknown> | undefined): string | undefined {
  const code = body?.['ok'] === false ? body['error'] : undefined;
  return typeof code === 'string' && /^[a-z0-9_]{1,64}$/.test(code) ? code : undefined;
}

/** A wait in Slack's response takes precedence over the table's. */
function withWait(outcome: FailedOutcome, { headers }: HttpResponse): FailedOutcome {
  if (outcome.outcome !== 'retry') return outcome;
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? outcome : { ...outcome, afterMs };
}

const maxTexts = 10;
const maxTextCharacters = 300;

/** The fields of a response that may be stored, cut and without the token. */
function pickFields(
  body: Record<string, unknown> | undefined,
  token: string,
): Record<string, unknown> {
  const metadata = body?.['response_metadata'];
  const fields = {
    error: redactText(body?.['error'], token),
    needed: redactText(body?.['needed'], token),
    provided: redactText(body?.['provided'], token),
    errors: redactTexts(body?.['errors'], token),
    messages: redactTexts(isRecord(metadata) ? metadata['messages'] : undefined, token),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function redactText(value: unknown, token: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  return redact(value, [token]).slice(0, maxTextCharacters);
}

function redactTexts(value: unknown, token: string): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, maxTexts)
    .map((text) => redactText(text, token))
    .filter((text) => text !== undefined);
}
