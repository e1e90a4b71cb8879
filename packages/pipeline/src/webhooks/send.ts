import { type GuardedHttp, retryAfterMs } from '@belfry/channels';
import { version } from '@belfry/runtime';
import type { WebhookTry } from '@belfry/shared';
import { signWebhook } from './sign';

export type WebhookCall = {
  id: string;
  url: string;
  body: string;
  secrets: readonly string[];
  traceparent?: string | undefined;
  /** Ends the try. */
  signal: AbortSignal;
};

export type WebhookResult = {
  isSuccess: boolean;
  /** HTTP status 410: the receiver wants no more webhooks. */
  isGone: boolean;
  retryAfterMs: number | undefined;
  /** For the log of the endpoint. */
  entry: WebhookTry;
};

/** The time for a whole try, from the look-up of the name to the end of the answer. */
export const webhookTimeoutMs = 15_000;
/** Kept of an answer. */
const maxAnswerBytes = 1_024;

/** Makes one try. A status of 2xx is a success; a redirect is a failure and is not followed. */
export async function sendWebhook(
  http: Pick<GuardedHttp, 'request'>,
  { id, url, body, secrets, traceparent, signal }: WebhookCall,
): Promise<WebhookResult> {
  const at = new Date();
  const startedMs = performance.now();
  const response = await http.request({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Belfry/${version}`,
      'accept-encoding': 'identity',
      ...(traceparent === undefined ? {} : { traceparent }),
      ...signWebhook({ id, at, body, secrets }),
    },
    body,
    signal,
    maxResponseBytes: maxAnswerBytes,
    isTruncated: true,
  });
  const entry = { at: at.getTime(), ms: Math.round(performance.now() - startedMs) };
  if (!('status' in response)) {
    const failed = { isSuccess: false, isGone: false, retryAfterMs: undefined };
    return { ...failed, entry: { ...entry, error: response.detail } };
  }
  const { status, headers } = response;
  const isSuccess = status >= 200 && status < 300;
  return {
    isSuccess,
    isGone: status === 410,
    retryAfterMs: isSuccess ? undefined : retryAfterMs(headers, Date.now()),
    entry: {
      ...entry,
      status,
      ...(isSuccess ? {} : { error: describeStatus(status) }),
      ...readAnswer(response.body),
    },
  };
}

function describeStatus(status: number): string {
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `HTTP status ${status}.${redirect}`;
}

/** PostgreSQL cannot store U+0000. */
function readAnswer(body: Buffer): { answer?: string } {
  const answer = body.toString('utf8').replaceAll('\0', '\uFFFD');
  return answer === '' ? {} : { answer };
}
