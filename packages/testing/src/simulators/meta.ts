import { createHmac, hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { readMetaMessage } from './meta-rules';
import { hasType, jsonType } from './rules';

/** A message that the Cloud API accepted. */
export type MetaSend = {
  id: string;
  phoneNumberId: string;
  to: string;
  /** The body as received: type, text or template. */
  body: Record<string, unknown>;
  /** SHA-256 of the token in hexadecimal, to identify it without storing it. */
  tokenHash: string;
  /** The message's ID, which every status report repeats. */
  messageId?: string;
};

/** `code` is one of Meta's, with status 400 by default; `with` are further members of the error. */
export type MetaFault =
  | HttpFault
  | { on?: string; code: number; status?: number; with?: Record<string, unknown> };

export type MetaStatus = {
  id: string;
  status: string;
  biz_opaque_callback_data?: string;
  errors?: Record<string, unknown>[];
};

/** A call of Meta to our webhook: send the bytes unchanged, or a modified copy. */
export type MetaWebhook = { headers: Record<string, string>; body: Buffer };

export type MetaSimulator = Omit<HttpSimulator<MetaSend>, 'fail'> & {
  fail(...faults: MetaFault[]): void;
  /** Status reports of an accepted message. */
  createStatus(send: MetaSend, status: string, errorCode?: number): MetaStatus;
  /** One signed call with any number of reports, of any age, in any order. */
  webhook(statuses: readonly MetaStatus[], options: MetaWebhookOptions): MetaWebhook;
};

export type MetaWebhookOptions = {
  appSecret: string;
  phoneNumberId?: string;
  /** Other changes, such as messages from people to the number. */
  moreChanges?: Record<string, unknown>[];
};

/**
 * A change for `moreChanges`: a message of a person
 * (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages).
 */
export function createMetaMessage(message: Record<string, unknown>, phoneNumberId: string) {
  const { from } = message;
  const contacts = [{ profile: { name: 'Ana' }, wa_id: from }];
  return {
    field: 'messages',
    value: { ...describeNumber(phoneNumberId), contacts, messages: [message] },
  };
}

/** A change for `moreChanges`: a person stops or resumes marketing messages (the page of `user_preferences` there). */
export function createMetaPreference(
  preference: { wa_id: string; value: 'stop' | 'resume'; timestamp: number },
  phoneNumberId: string,
) {
  const detail = `User requested to ${preference.value} marketing messages`;
  const user_preferences = [{ ...preference, detail, category: 'marketing_messages' }];
  const contacts = [{ wa_id: preference.wa_id }];
  const value = { ...describeNumber(phoneNumberId), contacts, user_preferences };
  return { field: 'user_preferences', value };
}

function describeNumber(phoneNumberId: string) {
  return {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100000', phone_number_id: phoneNumberId },
  };
}

/** WhatsApp's Cloud API, limited to sending: `messages`, and reading a phone number. */
export async function createMetaSimulator(): Promise<MetaSimulator> {
  let messageCount = 0;
  const simulator = await createHttpSimulator<MetaSend>({
    handle(request) {
      const call = readCall(request);
      if (!call) return { reply: refusal(100, { message: 'Unknown path components' }) };
      if (!call.token) return { reply: refusal(190, { type: 'OAuthException' }, 401) };
      if (request.method === 'GET') return { reply: buildNumberReply(call) };
      messageCount += 1;
      return acceptMessage(call, request, messageCount);
    },
  });
  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    createStatus: describeStatus,
    webhook: createWebhook,
  };
}

type MetaCall = { phoneNumberId: string; token: string };

function readCall({ method, path, headers }: HttpRequest): MetaCall | undefined {
  const match = /^\/v\d+\.\d\/(\d+)(\/messages)?(\?|$)/.exec(path);
  const isSend = method === 'POST' && match?.[2] !== undefined;
  const isRead = method === 'GET' && match?.[2] === undefined;
  if (!match || !(isSend || isRead)) return undefined;
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  return { phoneNumberId: match[1] ?? '', token };
}

function buildNumberReply({ phoneNumberId: id }: MetaCall): HttpReply {
  return {
    body: { id, display_phone_number: '+1 555-010-0000', verified_name: 'Simulated business' },
  };
}

function acceptMessage(
  { phoneNumberId, token }: MetaCall,
  request: HttpRequest,
  count: number,
): { reply: HttpReply; send?: MetaSend } {
  if (!hasType(request.headers, jsonType)) return { reply: refusal(100) };
  const read = readMetaMessage(request.body);
  if ('code' in read) return { reply: refusal(read.code, describe(read.details)) };
  const { body } = read;
  const { biz_opaque_callback_data: messageId } = body;
  const to = String(body['to']);
  const id = `wamid.SIMULATED${String(count).padStart(8, '0')}`;
  const input = to.replace('+', '');
  return {
    reply: {
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: to, wa_id: input }],
        messages: [{ id, message_status: 'accepted' }],
      },
    },
    send: {
      id,
      phoneNumberId,
      to,
      body,
      tokenHash: hash('sha256', token, 'hex'),
      ...(typeof messageId === 'string' ? { messageId } : {}),
    },
  };
}

function describe(details: string): Record<string, unknown> {
  return { error_data: { messaging_product: 'whatsapp', details } };
}

function refusal(code: number, extraFields: Record<string, unknown> = {}, status = 400): HttpReply {
  const error = {
    message: `(#${code}) Simulated`,
    type: 'OAuthException',
    code,
    error_data: { messaging_product: 'whatsapp', details: 'Simulated' },
    fbtrace_id: 'A0SIMULATED',
  };
  return { status, body: { error: { ...error, ...extraFields } } };
}

function toHttpFault(fault: MetaFault): HttpFault {
  if (!('code' in fault)) return fault;
  const { on, code, status } = fault;
  return { ...(on ? { on } : {}), reply: refusal(code, fault.with, status) };
}

function describeStatus(
  { id, messageId }: MetaSend,
  status: string,
  errorCode?: number,
): MetaStatus {
  return {
    id,
    status,
    ...(messageId === undefined ? {} : { biz_opaque_callback_data: messageId }),
    ...(errorCode === undefined
      ? {}
      : { errors: [{ code: errorCode, title: 'Simulated', message: 'Simulated' }] }),
  };
}

function createWebhook(
  statuses: readonly MetaStatus[],
  { appSecret, phoneNumberId = '100000000000001', moreChanges = [] }: MetaWebhookOptions,
): MetaWebhook {
  const sharedFields = describeNumber(phoneNumberId);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const fullStatuses = statuses.map((status) => ({
    timestamp,
    recipient_id: '4512345678',
    ...status,
  }));
  const changes = [
    { field: 'messages', value: { ...sharedFields, statuses: fullStatuses } },
    ...moreChanges,
  ];
  const text = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '200000000000002', changes }],
  });
  // Meta escapes slashes, so its bytes differ from those of JSON.stringify.
  const body = Buffer.from(text.replaceAll('/', '\\/'));
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  };
}
