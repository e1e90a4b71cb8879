import { classifyStatus, type Http, type HttpResponse } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { isRecord, parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import { type ClassifiedRefusal, classifyTelegramRefusal } from './codes';

export type TelegramAccess = { token: string; signal: AbortSignal };

/**
 * Telegram's success with its result, or the classified error. `response` is the part that may be
 * stored.
 */
export type TelegramReply =
  | { result: Record<string, unknown> }
  | (ClassifiedRefusal & { response: Record<string, unknown> });

/** The used part of the SDK's client. */
export type TelegramClient = {
  getMe(): Promise<unknown>;
  getWebhookInfo(): Promise<unknown>;
  setWebhook(webhook: {
    url: string;
    secret_token: string;
    allowed_updates: string[];
  }): Promise<unknown>;
  sendMessage(message: TelegramMessage): Promise<unknown>;
};

export type TelegramMessage = {
  chat_id: string;
  text: string;
  parse_mode: 'HTML';
  disable_notification?: boolean;
  link_preview_options?: { is_disabled?: boolean };
};

export type TelegramApi = {
  call(
    callMethod: (client: TelegramClient) => Promise<unknown>,
    access: TelegramAccess,
  ): Promise<TelegramReply>;
};

/** `url` is the API base URL, when it is not Telegram's. */
export function createTelegramApi({
  http,
  url,
}: {
  http: Http;
  url: string | undefined;
}): TelegramApi {
  let library: ReturnType<typeof loadLibrary> | undefined;
  return {
    async call(callMethod, { token, signal }) {
      let httpResult: HttpResponse | NetworkFailure | undefined;
      let cause: string | undefined;
      library ??= loadLibrary();
      const sdk = await library;
      // One client per call: its fetch knows only this call's deadline.
      const client = new sdk.Api(token, {
        ...(url ? { apiRoot: url } : {}),
        maxRetries: 0,
        timeoutMs: 0,
        async fetch(to, { headers, body } = {}) {
          httpResult = await http.request({
            method: 'POST',
            url: String(to),
            headers: Object.fromEntries(new Headers(headers)),
            body: String(body ?? ''),
            signal,
          });
          if ('isWritten' in httpResult) throw new Error('no answer');
          return new Response(httpResult.body, { status: httpResult.status });
        },
      });
      try {
        await callMethod(client);
      } catch (error) {
        // The result was seen at the connection.
        cause = getErrorName(error);
      }
      if (!httpResult) throw new Error('The call could not be built', { cause });
      return read(httpResult, token);
    },
  };
}

/** Loaded with the first call, so only workers that send to Telegram load it. */
function loadLibrary() {
  return import('node-telegram-bot-api');
}

function getErrorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function read(httpResult: HttpResponse | NetworkFailure, token: string): TelegramReply {
  if ('isWritten' in httpResult) return { failure: classifyFailure(httpResult), response: {} };
  const { status, headers } = httpResult;
  const body = toRecord(parseJson(httpResult.body));
  // Methods that only do something return true.
  const result = body?.['result'] === true ? {} : body?.['result'];
  if (status === 200 && body?.['ok'] === true && isRecord(result)) return { result };
  const response = { status, ...pickFields(body, token) };
  const errorCode = body?.['ok'] === false ? body['error_code'] : undefined;
  if (typeof errorCode === 'number') {
    const description = toText(body?.['description']);
    const parameters = toRecordOrEmpty(body?.['parameters']);
    const classified = classifyTelegramRefusal({ errorCode, description, parameters, headers });
    return { ...classified, response };
  }
  return { failure: isSuccess(status) ? unreadable : classifyStatus(status, headers), response };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const unreadable: FailedOutcome = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Telegram’s response could not be read, so the message may have been sent.',
};

function toRecordOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const maxTextCharacters = 300;

/** The fields of a response that may be stored, cut and without the token. */
function pickFields(
  body: Record<string, unknown> | undefined,
  token: string,
): Record<string, unknown> {
  const parameters = toRecordOrEmpty(body?.['parameters']);
  const description = withoutTokens(toText(body?.['description']), token);
  const numbers = {
    error_code: body?.['error_code'],
    retry_after: parameters['retry_after'],
    migrate_to_chat_id: parameters['migrate_to_chat_id'],
  };
  return {
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => Number.isFinite(value))),
    ...(description ? { description: description.slice(0, maxTextCharacters) } : {}),
  };
}

/** Removes this token, its secret half alone, and any other bot's token. */
function withoutTokens(text: string, token: string): string {
  const secretHalf = token.slice(token.indexOf(':') + 1);
  return redact(text, [token, secretHalf]).replace(
    /(?:[Bb][Oo][Tt])?(?<!\d)\d+:[\w-]{20,}/g,
    '[credential]',
  );
}
