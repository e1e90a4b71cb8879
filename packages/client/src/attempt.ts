import type { Fetch } from './options';
import { readRetryAfterMs } from './retry';
import { withinTime } from './within-time';

export type Attempt = {
  fetch: Fetch;
  url: string;
  init: RequestInit;
  timeoutMs: number;
  /** The caller's. */
  signal: AbortSignal | undefined;
};

/** What one attempt came to. */
export type Outcome =
  | { outcome: 'answered'; answer: Answer }
  | { outcome: 'unanswered'; code: 'network_error' | 'timeout' | 'aborted'; cause: unknown };

export type Answer = {
  status: number;
  /** The JSON of the body; undefined where it is none. */
  body: unknown;
  requestId: string | undefined;
  isReplay: boolean;
  retryAfterMs: number | undefined;
};

/** More than the gateway ever answers: a user with a hundred devices. */
const maxAnswerBytes = 16_000_000;

export async function attempt({ fetch, url, init, timeoutMs, signal }: Attempt): Promise<Outcome> {
  const ended = await withinTime({ timeoutMs, signal }, async function exchange(limit) {
    // A redirect is no answer of the gateway, and the API key is for it alone.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: limit });
    return readAnswer(response);
  });
  if (ended.end === 'done') return { outcome: 'answered', answer: ended.value };
  const code = ended.end === 'failed' ? 'network_error' : ended.end;
  return { outcome: 'unanswered', code, cause: ended.cause };
}

async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return {
    status,
    body: parse(await readText(response)),
    requestId: headers.get('x-request-id') ?? undefined,
    isReplay: headers.get('idempotent-replayed') === 'true',
    retryAfterMs: readRetryAfterMs(headers.get('retry-after'), Date.now()),
  };
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
