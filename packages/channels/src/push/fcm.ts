import { randomUUID } from 'node:crypto';
import type {
  ConnectCall,
  ConnectionTestResult,
  DescribeCall,
  PreparedSend,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
  UnsentCall,
} from '../channel';
import { createHttp, type HttpResponse } from '../http';
import type { NetworkFailure } from '../network-failure';
import { type AccessTokens, createAccessTokens } from './access-tokens';
import {
  checkFcm,
  type FcmIntegration,
  fcmCredentials,
  fcmSettings,
  readFcm,
} from './fcm-integration';
import { fcmPayload } from './fcm-payload';
import { createFcmRequest } from './fcm-request';
import { isTokenRefused, readFcmResponse } from './fcm-response';
import { readPushTarget } from './target';
import type { PushContent } from './template';

/** Firebase Cloud Messaging, HTTP v1. */
export const fcm: Provider<PushContent> = {
  label: 'Firebase Cloud Messaging',
  settings: fcmSettings,
  credentials: fcmCredentials,
  payload: fcmPayload,
  check: checkFcm,
  describe: describeFcm,
  createSender: createFcmSender,
};

function describeFcm(call: DescribeCall<PushContent>): ProviderRequest {
  const { project_id: projectId } = call.settings;
  const displayedId = typeof projectId === 'string' && projectId !== '' ? projectId : '…';
  return { operation: `POST ${buildUrl(undefined, displayedId)}`, body: createFcmRequest(call) };
}

function createFcmSender({ baseUrls }: SenderDeps): Sender<PushContent> {
  const http = createHttp();
  const base = baseUrls['fcm'];
  const tokens = createAccessTokens({ http, url: base && `${base}/token` });

  async function send(call: SendCall<PushContent>): Promise<SendResult> {
    const integration = readFcm(call);
    if (!integration) return { outcome: incomplete };
    const target = readPushTarget(call.target);
    if ('malformed' in target) return { outcome: malformedTarget(target.malformed) };
    const body = JSON.stringify(createFcmRequest(call));
    return post(integration, { body, key: getTokenKey(call), signal: call.signal });
  }

  /** Retries once with a new access token when Google refuses the cached one. */
  async function post(integration: FcmIntegration, call: Post): Promise<SendResult> {
    const first = await postOnce(integration, call);
    if (!('httpResult' in first) || !isTokenRefused(first.httpResult)) return toSendResult(first);
    tokens.drop(call.key);
    return toSendResult(await postOnce(integration, call));
  }

  async function postOnce(
    { projectId, account }: FcmIntegration,
    { body, key, signal }: Post,
  ): Promise<PostResult> {
    const tokenResult = await tokens.find(account, { key, signal });
    if ('failure' in tokenResult) return { outcome: tokenResult.failure };
    const httpResult = await http.request({
      method: 'POST',
      url: buildUrl(base, projectId),
      headers: {
        authorization: `Bearer ${tokenResult.token}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body,
      signal,
    });
    return { httpResult, token: tokenResult.token };
  }

  /**
   * A dry-run message to no device: it checks project, API and permission, and FCM contacts no
   * device.
   */
  async function test({ signal, ...input }: TestCall): Promise<ConnectionTestResult> {
    const integration = readFcm(input);
    if (!integration) return { isWorking: false, detail: incomplete.detail };
    // Unsaved credentials have no version, so nothing is cached for them.
    const key = `test:${randomUUID()}`;
    const { outcome } = await post(integration, { body: testBody, key, signal });
    tokens.drop(key);
    const working = `FCM accepts messages from ${integration.account.clientEmail} for the project ${integration.projectId}.`;
    return outcome.outcome === 'accepted'
      ? { isWorking: true, detail: working }
      : { isWorking: false, detail: outcome.detail ?? outcome.reason };
  }

  return {
    prepare: (call, signal) => prepareFcm({ tokens, send }, call, signal),
    send,
    test,
    async close() {
      http.close();
    },
  };
}

type FcmServices = { tokens: AccessTokens; send: Sender<PushContent>['send'] };

/** Fetches Google's access token ahead, so that `send` finds it in the cache. */
async function prepareFcm(
  { tokens, send }: FcmServices,
  call: UnsentCall<PushContent>,
  signal: AbortSignal,
): Promise<PreparedSend | SendResult> {
  const account = readFcm(call)?.account;
  const tokenResult = account && (await tokens.find(account, { key: getTokenKey(call), signal }));
  if (tokenResult && 'failure' in tokenResult) return { outcome: tokenResult.failure };
  return { send: (deadline) => send({ ...call, ...deadline }), release: () => undefined };
}

function getTokenKey({ integrationId, integrationVersion }: ConnectCall): string {
  return `${integrationId}:${integrationVersion}`;
}

type Post = { body: string; key: string; signal: AbortSignal };
type PostResult = SendResult | { httpResult: HttpResponse | NetworkFailure; token: string };

function toSendResult(postResult: PostResult): SendResult {
  return 'httpResult' in postResult
    ? readFcmResponse(postResult.httpResult, postResult.token)
    : postResult;
}

const testBody = JSON.stringify({
  validate_only: true,
  message: { topic: 'belfry-connection-test', notification: { title: 'Test' } },
});

function buildUrl(base = 'https://fcm.googleapis.com', projectId: string): string {
  return `${base}/v1/projects/${projectId}/messages:send`;
}

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_integration',
  detail: 'The integration has no usable service account key, or no project id.',
} as const;

function malformedTarget(detail: string) {
  return { outcome: 'rejected', scope: 'recipient', reason: 'malformed_token', detail } as const;
}
