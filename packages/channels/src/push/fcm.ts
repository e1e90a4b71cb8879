import { randomUUID } from 'node:crypto';
import type {
  ConnectCall,
  DescribeCall,
  PreparedSend,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
  Tested,
  UnsentCall,
} from '../channel';
import { createHttp, type HttpAnswer } from '../http';
import type { NetworkFailure } from '../network-failure';
import { type AccessTokens, createAccessTokens } from './access-tokens';
import { isTokenRefused, readFcmAnswer } from './fcm-answer';
import {
  checkFcm,
  type FcmIntegration,
  fcmCredentials,
  fcmSettings,
  readFcm,
} from './fcm-integration';
import { fcmPayload } from './fcm-payload';
import { createFcmRequest } from './fcm-request';
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
  const shown = typeof projectId === 'string' && projectId !== '' ? projectId : '…';
  return { operation: `POST ${urlOf(undefined, shown)}`, body: createFcmRequest(call) };
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

  /** Once more with another access token where Google does not take the one that was kept. */
  async function post(integration: FcmIntegration, call: Post): Promise<SendResult> {
    const first = await postOnce(integration, call);
    if (!('seen' in first) || !isTokenRefused(first.seen)) return resultOf(first);
    tokens.drop(call.key);
    return resultOf(await postOnce(integration, call));
  }

  async function postOnce(
    { projectId, account }: FcmIntegration,
    { body, key, signal }: Post,
  ): Promise<Posted> {
    const found = await tokens.find(account, { key, signal });
    if ('refused' in found) return { outcome: found.refused };
    const seen = await http.request({
      method: 'POST',
      url: urlOf(base, projectId),
      headers: {
        authorization: `Bearer ${found.token}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body,
      signal,
    });
    return { seen, token: found.token };
  }

  /** A message to nobody, which FCM only checks: project, API and permission are tried, and no device is asked. */
  async function test({ signal, ...input }: TestCall): Promise<Tested> {
    const integration = readFcm(input);
    if (!integration) return { isWorking: false, detail: incomplete.detail };
    // Credentials that are not stored yet have no version; nothing of them is kept.
    const key = `test:${randomUUID()}`;
    const { outcome } = await post(integration, { body: testBody, key, signal });
    tokens.drop(key);
    const working = `FCM takes messages of ${integration.account.clientEmail} for the project ${integration.projectId}.`;
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

type FcmParts = { tokens: AccessTokens; send: Sender<PushContent>['send'] };

/** Google’s access token is asked for before, so that `send` finds it kept. */
async function prepareFcm(
  { tokens, send }: FcmParts,
  call: UnsentCall<PushContent>,
  signal: AbortSignal,
): Promise<PreparedSend | SendResult> {
  const account = readFcm(call)?.account;
  const found = account && (await tokens.find(account, { key: getTokenKey(call), signal }));
  if (found && 'refused' in found) return { outcome: found.refused };
  return { send: (deadline) => send({ ...call, ...deadline }), release: () => undefined };
}

function getTokenKey({ integrationId, integrationVersion }: ConnectCall): string {
  return `${integrationId}:${integrationVersion}`;
}

type Post = { body: string; key: string; signal: AbortSignal };
type Posted = SendResult | { seen: HttpAnswer | NetworkFailure; token: string };

function resultOf(posted: Posted): SendResult {
  return 'seen' in posted ? readFcmAnswer(posted.seen, posted.token) : posted;
}

const testBody = JSON.stringify({
  validate_only: true,
  message: { topic: 'belfry-connection-test', notification: { title: 'Test' } },
});

function urlOf(base = 'https://fcm.googleapis.com', projectId: string): string {
  return `${base}/v1/projects/${projectId}/messages:send`;
}

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_integration',
  detail: 'The integration has no usable key of a service account, or no project id.',
} as const;

function malformedTarget(detail: string) {
  return { outcome: 'rejected', scope: 'recipient', reason: 'malformed_token', detail } as const;
}
