import type {
  DescribeCall,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
  Tested,
} from '../channel';
import { createHttp } from '../http';
import { sortFailure, type Unanswered } from '../network-failure';
import { membersOf, parseJson } from '../read-json';
import { redact } from '../redact';
import { readRefusal, readSent } from './meta-answer';
import {
  checkMeta,
  metaCredentials,
  metaPayload,
  metaSettings,
  readMeta,
  urlOfNumber,
} from './meta-integration';
import { metaReceipts } from './meta-receipts';
import { createMetaRequest } from './meta-request';
import { whatsappRate } from './rate';
import type { WhatsappContent } from './template';

/** WhatsApp by Meta's own Cloud API. */
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
    operation: `POST ${urlOfNumber(undefined, call.settings)}/messages`,
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
    const seen = await http.request({
      method: 'POST',
      url: `${urlOfNumber(baseUrls['meta'], integration.settings)}/messages`,
      headers: { ...authorize(token), 'content-type': 'application/json' },
      body: JSON.stringify(createMetaRequest(call)),
      signal: call.signal,
    });
    return readSent(seen, { sender, token });
  }

  async function test({ signal, ...input }: TestCall): Promise<Tested> {
    const integration = readMeta(input);
    if (!integration) return { isWorking: false, detail: incomplete.detail };
    const { sender } = integration.settings;
    const { access_token: token } = integration.credentials;
    const seen = await http.request({
      method: 'GET',
      url: `${urlOfNumber(baseUrls['meta'], integration.settings)}?fields=${numberFields}`,
      headers: authorize(token),
      signal,
    });
    if ('isWritten' in seen) return { isWorking: false, detail: detailOf(sortFailure(seen)) };
    const refused = readRefusal(seen, { sender, token });
    if (refused) return { isWorking: false, detail: detailOf(refused.outcome) };
    return readNumber(seen.body, token);
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
  detail: 'The integration has no usable phone number id or access token.',
} as const;

const unnamed = {
  outcome: 'rejected',
  scope: 'content',
  reason: 'no_template_name',
  detail: 'The template has a Content SID only; Meta needs its name and language.',
} as const;

function authorize(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, accept: 'application/json' };
}

function detailOf({ detail, reason }: Unanswered): string {
  return detail ?? reason;
}

const maxNameCharacters = 100;

function readNumber(body: Buffer, token: string): Tested {
  const { display_phone_number: phone, verified_name: name, id } = membersOf(parseJson(body)) ?? {};
  if (typeof id !== 'string')
    return { isWorking: false, detail: 'Meta’s answer could not be read.' };
  const shown = [phone, name]
    .filter((text) => typeof text === 'string')
    .map((text) => redact(text, [token]).slice(0, maxNameCharacters));
  return {
    isWorking: true,
    detail: `Meta knows the number${shown.length > 0 ? ` as ${shown.join(', ')}` : ''}.`,
  };
}
