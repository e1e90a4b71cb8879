import type { CallerSignal, Fetch, FetchInit, FetchResponse } from './options';
import { readRetryAfterMs } from './retry';
import { withinTime } from './within-time';

export type RequestFields = Pick<FetchInit, 'method' | 'headers' | 'body'>;

export type Attempt = {
  fetch: Fetch;
  url: string;
  init: RequestFields;
  timeoutMs: number;
  /** The signal of the caller. */
  signal: CallerSignal | undefined;
};

/** Result of one attempt. */
export type Outcome =
  | { outcome: 'answered'; answer: Answer }
  | { outcome: 'unanswered'; code: 'network_error' | 'timeout' | 'aborted'; cause: unknown };

export type Answer = {
  status: number;
  /** Parsed JSON body; undefined if it is not JSON. */
  body: unknown;
  requestId: string | undefined;
  isReplay: boolean;
  retryAfterMs: number | undefined;
};

/** Larger than any answer of the gateway, such as a user with a hundred devices. */
const maxAnswerBytes = 16_000_000;

export async function attempt({ fetch, url, init, timeoutMs, signal }: Attempt): Promise<Outcome> {
  const ending = await withinTime({ timeoutMs, signal }, async function exchange(limit) {
    // The gateway never redirects, and the API key must not reach another host.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: limit });
    return readAnswer(response);
  });
  if (ending.end === 'done') return { outcome: 'answered', answer: ending.value };
  const code = ending.end === 'failed' ? 'network_error' : ending.end;
  return { outcome: 'unanswered', code, cause: ending.cause };
}

async function readAnswer(response: FetchResponse): Promise<Answer> {
  const { status, headers } = response;
  return {
    status,
    body: parse(await readText(response)),
    requestId: headers.get('x-request-id') ?? undefined,
    isReplay: headers.get('idempotent-replayed') === 'true',
    retryAfterMs: readRetryAfterMs(headers.get('retry-after'), Date.now()),
  };
}

/** Uses a reader, because not every platform can iterate a stream. Ending the attempt cancels an unfinished stream. */
async function readText({ body }: FetchResponse): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value?.length ?? 0;
    if (bytes > maxAnswerBytes) return '';
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
