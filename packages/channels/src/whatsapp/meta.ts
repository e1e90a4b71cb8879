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
import { classifyFailure, type FailedOutcome } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import {
  buildNumberUrl,
  checkMeta,
  metaCredentials,
  metaPayload,
  metaSettings,
  readMeta,
} from './meta-integration';
import { metaReceipts } from './meta-receipts';
import { createMetaRequest } from './meta-request';
import { readRefusal, readSent } from './meta-response';
import { whatsappRate } from './rate';
import type { WhatsappContent } from './template';

/** WhatsApp through Meta's own Cloud API. */
export const meta: Provider<WhatsappContent> = {
  label: 'Meta Cloud API',
  settings: metaSettings,
  rate: whatsappRate,
  credentials: metaCredentials,
  payload: metaPayload,
  check: checkMeta,
  describe: describeMeta,
  createSender: createMetaSender,
  receipts: metaReceipts,
};

function describeMeta(call: DescribeCall<WhatsappContent>): ProviderRequest {
  return {
    operation: `POST ${buildNumberUrl(undefined, call.settings)}/messages`,
    body: createMetaRequest(call),
  };
}

function createMetaSender({ baseUrls }: SenderDeps): Sender<WhatsappContent> {
  const http = createHttp();

  async function send(call: SendCall<WhatsappContent>): Promise<SendResult> {
    const integration = readMeta(call);
    if (!integration) return { outcome: incomplete };
    if (call.content.kind === 'template' && !call.content.name) return { outcome: unnamed };
    const { sender } = integration.settings;
    const { access_token: token } = integration.credentials;
    const httpResult = await http.request({
      method: 'POST',
      url: `${buildNumberUrl(baseUrls['meta'], integration.settings)}/messages`,
      headers: { ...authorize(token), 'content-type': 'application/json' },
      body: JSON.stringify(createMetaRequest(call)),
      signal: call.signal,
    });
    return readSent(httpResult, { sender, token });
  }

  async function test({ signal, ...input }: TestCall): Promise<ConnectionTestResult> {
    const integration = readMeta(input);
    if (!integration) return { isWorking: false, detail: incomplete.detail };
    const { sender } = integration.settings;
    const { access_token: token } = integration.credentials;
    const httpResult = await http.request({
      method: 'GET',
      url: `${buildNumberUrl(baseUrls['meta'], integration.settings)}?fields=${numberFields}`,
      headers: authorize(token),
      signal,
    });
    if ('isWritten' in httpResult)
      return { isWorking: false, detail: getDetail(classifyFailure(httpResult)) };
    const refusal = readRefusal(httpResult, { sender, token });
    if (refusal) return { isWorking: false, detail: getDetail(refusal.outcome) };
    return readNumber(httpResult.body, token);
  }

  return {
    send,
    test,
    async close() {
      http.close();
    },
  };
}

const numberFields = 'id,display_phone_number,verified_name';

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_integration',
  detail: 'The integration has no valid phone number id or access token.',
} as const;

const unnamed = {
  outcome: 'rejected',
  scope: 'content',
  reason: 'no_template_name',
  detail: 'The template has only a Content SID. Meta needs its name and language.',
} as const;

function authorize(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, accept: 'application/json' };
}

function getDetail({ detail, reason }: FailedOutcome): string {
  return detail ?? reason;
}

const maxNameCharacters = 100;

function readNumber(body: Buffer, token: string): ConnectionTestResult {
  const { display_phone_number: phone, verified_name: name, id } = toRecord(parseJson(body)) ?? {};
  if (typeof id !== 'string')
    return { isWorking: false, detail: 'Meta’s response could not be read.' };
  const labels = [phone, name]
    .filter((text) => typeof text === 'string')
    .map((text) => redact(text, [token]).slice(0, maxNameCharacters));
  return {
    isWorking: true,
    detail: `Meta identifies the number${labels.length > 0 ? ` as ${labels.join(', ')}` : ''}.`,
  };
}
