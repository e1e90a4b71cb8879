import type { IntegrationInput } from '../channel';
import { createHttp, type HttpResponse } from '../http';
import { describeTransportError, type NetworkFailure } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import { createAccessTokens } from './access-tokens';
import { readFcm } from './fcm-integration';

export type TopicChange = {
  action: 'subscribe' | 'unsubscribe';
  topic: string;
  /** FCM tokens, at most 1,000. */
  tokens: readonly string[];
  integration: IntegrationInput;
  /** Changes with the credentials: access tokens are cached by it. */
  integrationKey: string;
  signal: AbortSignal;
};

/** `refused` counts the tokens that FCM does not know. `failed` is a sentence. */
export type TopicResult = { changed: number; refused: number } | { failed: string };

export type FcmTopics = {
  /** Never throws for provider or network errors. */
  change(change: TopicChange): Promise<TopicResult>;
  close(): void;
};

/**
 * Subscribes FCM tokens to topics with Google's Instance ID API, as firebase-admin does
 * (developers.google.com/instance-id/reference/server). `baseUrl` is a simulator's.
 */
export function createFcmTopics({ baseUrl }: { baseUrl: string | undefined }): FcmTopics {
  const http = createHttp();
  const accessTokens = createAccessTokens({ http, url: baseUrl && `${baseUrl}/token` });

  return {
    async change({ action, topic, tokens, integration, integrationKey: key, signal }) {
      const account = readFcm(integration)?.account;
      if (!account) return { failed: 'The FCM integration has no usable service account key.' };
      const access = await accessTokens.find(account, { key, signal });
      if ('failure' in access) return { failed: access.failure.detail ?? access.failure.reason };
      const httpResult = await http.request({
        method: 'POST',
        url: `${baseUrl ?? 'https://iid.googleapis.com'}/iid/v1:${methods[action]}`,
        headers: {
          authorization: `Bearer ${access.token}`,
          // Without it, the API expects a server key of the retired API.
          access_token_auth: 'true',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ to: `/topics/${topic}`, registration_tokens: tokens }),
        signal,
      });
      if ('status' in httpResult && httpResult.status === 401) accessTokens.drop(key);
      return readResult(httpResult, tokens.length);
    },
    close: http.close,
  };
}

const methods = { subscribe: 'batchAdd', unsubscribe: 'batchRemove' } as const;

/** One result per token, with an `error` if it was refused. */
function readResult(httpResult: HttpResponse | NetworkFailure, count: number): TopicResult {
  if ('isWritten' in httpResult) return { failed: describeTransportError(httpResult) };
  const results = toRecord(parseJson(httpResult.body))?.['results'];
  if (httpResult.status !== 200 || !Array.isArray(results) || results.length !== count) {
    return { failed: `FCM answered the change of a topic with HTTP status ${httpResult.status}.` };
  }
  const refused = results.filter((result) => toRecord(result)?.['error'] !== undefined).length;
  return { changed: count - refused, refused };
}
