import type {
  ConnectionTestResult,
  DescribeCall,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
} from '../channel';
import { createHttp } from '../http';
import { classifyFailure } from '../network-failure';
import {
  checkOnesignal,
  onesignalCredentials,
  onesignalPayload,
  onesignalSettings,
  readOnesignal,
} from './integration';
import { createOnesignalRequest } from './request';
import { readOnesignalResponse } from './response';
import { readOnesignalTarget } from './target';
import type { OnesignalContent } from './template';

export const onesignalApi: Provider<OnesignalContent> = {
  label: 'OneSignal',
  settings: onesignalSettings,
  credentials: onesignalCredentials,
  payload: onesignalPayload,
  check: checkOnesignal,
  describe: describeOnesignal,
  createSender: createOnesignalSender,
};

const oneSignalUrl = 'https://api.onesignal.com';

function describeOnesignal(call: DescribeCall<OnesignalContent>): ProviderRequest {
  return { operation: `POST ${oneSignalUrl}/notifications`, body: createOnesignalRequest(call) };
}

function createOnesignalSender({ baseUrls }: SenderDeps): Sender<OnesignalContent> {
  const http = createHttp();
  const base = baseUrls['onesignal'] ?? oneSignalUrl;

  async function send(call: SendCall<OnesignalContent>): Promise<SendResult> {
    const integration = readOnesignal(call);
    if (!integration) return { outcome: incomplete };
    const target = readOnesignalTarget(call.target);
    if ('malformed' in target) return { outcome: malformedTarget(target.malformed) };
    const { rest_api_key: key } = integration.credentials;
    const httpResult = await http.request({
      method: 'POST',
      url: `${base}/notifications`,
      headers: { ...authorize(key), 'content-type': 'application/json' },
      body: JSON.stringify(createOnesignalRequest(call)),
      signal: call.signal,
    });
    return readOnesignalResponse(httpResult, { target: call.target, key });
  }

  /**
   * Listing sent notifications is the only read that this key allows and that returns no personal
   * data.
   */
  async function test({ signal, ...input }: TestCall): Promise<ConnectionTestResult> {
    const integration = readOnesignal(input);
    if (!integration) return { isWorking: false, detail: incomplete.detail };
    const { app_id: appId } = integration.settings;
    const { rest_api_key: key } = integration.credentials;
    const httpResult = await http.request({
      method: 'GET',
      url: `${base}/notifications?app_id=${encodeURIComponent(appId)}&limit=1`,
      headers: authorize(key),
      signal,
    });
    if ('isWritten' in httpResult) {
      const { detail, reason } = classifyFailure(httpResult);
      return { isWorking: false, detail: detail ?? reason };
    }
    if (httpResult.status === 200) {
      return { isWorking: true, detail: `OneSignal accepts the key for the app ${appId}.` };
    }
    const { outcome } = readOnesignalResponse(httpResult, { target: '', key });
    return {
      isWorking: false,
      detail: outcome.detail ?? `OneSignal answered with HTTP status ${httpResult.status}.`,
    };
  }

  return {
    send,
    test,
    async close() {
      http.close();
    },
  };
}

function malformedTarget(detail: string) {
  const reason = 'malformed_subscription';
  return { outcome: 'rejected', scope: 'recipient', reason, detail } as const;
}

function authorize(key: string): Record<string, string> {
  return { authorization: `Key ${key}`, accept: 'application/json' };
}

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_integration',
  detail: 'The integration has no usable app id or API key.',
} as const;
