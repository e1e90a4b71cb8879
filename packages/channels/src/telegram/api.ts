import { type Http, type HttpResponse, sortStatus } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { isRecord, parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import { type ClassifiedRefusal, classifyTelegramRefusal } from './codes';

export type TelegramAccess = { token: string; signal: AbortSignal };

/** Telegram's yes with its result, or what its no means; `response` is what may be kept of it. */
export type TelegramReply =
  | { result: Record<string, unknown> }
  | (ClassifiedRefusal & { response: Record<string, unknown> });

/** What is used of the SDK's client. */
export type TelegramClient = {
  getMe(): Promise<unknown>;
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

/** `url` is where the API is, when it is not Telegram itself. */
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
      library ??= loadLibrary();
      const sdk = await library;
      // A client a call: its fetch knows the deadline of this call alone.
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
        // All that counts was seen at the connection.
        if (!httpResult)
          throw new Error('The call could not be built', { cause: getErrorName(error) });
      }
      return read(httpResult, token);
    },
  };
}

/** At the first call: only the worker that sends to Telegram has it in memory. */
function loadLibrary() {
  return import('node-telegram-bot-api');
}

function getErrorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function read(httpResult: HttpResponse | NetworkFailure | undefined, token: string): TelegramReply {
  if (!httpResult || 'isWritten' in httpResult) {
    const networkFailure = httpResult ?? { code: undefined, isWritten: true };
    return { failure: classifyFailure(networkFailure), response: {} };
  }
  const { status, headers } = httpResult;
  const body = toRecord(parseJson(httpResult.body));
  const result = body?.['result'];
  if (status === 200 && body?.['ok'] === true && isRecord(result)) return { result };
  const response = { status, ...pickFields(body, token) };
  const errorCode = body?.['ok'] === false ? body['error_code'] : undefined;
  if (typeof errorCode === 'number') {
    const description = toText(body?.['description']);
    const parameters = toRecordOrEmpty(body?.['parameters']);
    const sorted = classifyTelegramRefusal({ errorCode, description, parameters, headers });
    return { ...sorted, response };
  }
  return { failure: isSuccess(status) ? unreadable : sortStatus(status, headers), response };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const unreadable: FailedOutcome = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Telegram’s answer could not be read, so the message may have been sent.',
};

function toRecordOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const maxTextCharacters = 300;

/** What of an answer may be stored: these fields, cut, and without the token. */
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

/** Neither this token, nor its secret half alone, nor that of another bot. */
function withoutTokens(text: string, token: string): string {
  const secretHalf = token.slice(token.indexOf(':') + 1);
  return redact(text, [token, secretHalf]).replace(
    /(?:[Bb][Oo][Tt])?(?<!\d)\d+:[\w-]{20,}/g,
    '[credential]',
  );
}
