import { createHmac } from 'node:crypto';
import type { HttpReply, HttpRequest } from './http-simulator';
import {
  createMailApiSimulator,
  type MailApiSend,
  type MailApiSimulator,
  type MailEventKind,
  type MailReport,
  readHeader,
  type SignedReport,
} from './mail-api';
import { readResendMail, resendError } from './resend-rules';

export const resendWebhookSecret = `whsec_${Buffer.from('simulated-resend-secret').toString('base64')}`;

export type ResendOptions = {
  /** The only key that is let in; any key by default. */
  apiKey?: string;
  /** The key may send, and nothing else. */
  isSendingOnly?: boolean;
};

/** Resend's API, limited to sending a mail and listing domains. */
export function createResendSimulator(options: ResendOptions = {}): Promise<MailApiSimulator> {
  return createMailApiSimulator({
    authenticate: (request) => authenticate(request, options),
    isSend: ({ method, path }) => method === 'POST' && path === '/emails',
    read: readResendMail,
    accept: (id) => ({ body: { id } }),
    handleOther: (request) => handleOther(request, options),
    idempotency: {
      header: 'idempotency-key',
      conflict: resendError(
        409,
        'invalid_idempotent_request',
        'Same idempotency key used with a different request payload.',
      ).reply,
    },
    sign,
  });
}

function authenticate(
  request: HttpRequest,
  { apiKey }: ResendOptions,
): { key: string } | { reply: HttpReply } {
  // "403 error code 1010: your request has no User-Agent" (resend.com/docs/knowledge-base/403-error-1010).
  if (!readHeader(request, 'user-agent'))
    return { reply: { status: 403, body: 'error code: 1010' } };
  const key = /^Bearer (\S+)$/.exec(readHeader(request, 'authorization') ?? '')?.[1];
  if (key === undefined) {
    return resendError(401, 'missing_api_key', 'Missing API Key');
  }
  return apiKey === undefined || key === apiKey
    ? { key }
    : resendError(401, 'validation_error', 'API key is invalid');
}

function handleOther({ method, path }: HttpRequest, { isSendingOnly }: ResendOptions): HttpReply {
  if (method !== 'GET' || path !== '/domains') {
    return resendError(404, 'not_found', 'The requested endpoint does not exist.').reply;
  }
  if (isSendingOnly) {
    const message = 'This API key is restricted to only send emails.';
    return resendError(401, 'restricted_api_key', message).reply;
  }
  const domain = { id: 'd1', name: 'example.com', status: 'verified', region: 'us-east-1' };
  return { body: { object: 'list', has_more: false, data: [domain] } };
}

/** By the examples of resend.com/docs/dashboard/webhooks/event-types. */
const types: Record<MailEventKind, string> = {
  delivered: 'email.delivered',
  delayed: 'email.delivery_delayed',
  hard_bounce: 'email.bounced',
  soft_bounce: 'email.bounced',
  complaint: 'email.complained',
  suppressed: 'email.suppressed',
  opened: 'email.opened',
};

let calls = 0;

function sign({ id, mail, body }: MailApiSend, report: MailReport): SignedReport {
  const { kind, signature = 'right', atMs = Date.now() } = report;
  const time = new Date(atMs).toISOString();
  const tags = Object.fromEntries(
    (body['tags'] as { name: string; value: string }[]).map(({ name, value }) => [name, value]),
  );
  const payload = JSON.stringify({
    type: types[kind],
    created_at: time,
    data: {
      created_at: time,
      email_id: id,
      from: body['from'],
      to: mail.to,
      subject: mail.subject,
      tags,
      ...getBounce(kind),
    },
  });
  calls += 1;
  const headers = {
    'content-type': 'application/json',
    'svix-id': `msg_${String(calls).padStart(27, '0')}`,
    'svix-timestamp': String(Math.floor(atMs / 1_000)),
  };
  if (signature === 'none') return { headers, body: payload };
  const secret = signature === 'right' ? resendWebhookSecret : `whsec_${'A'.repeat(32)}`;
  const digest = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${headers['svix-id']}.${headers['svix-timestamp']}.${payload}`)
    .digest('base64');
  return { headers: { ...headers, 'svix-signature': `v1,${digest}` }, body: payload };
}

function getBounce(kind: MailEventKind): object {
  const message =
    'The recipient’s email provider sent a hard bounce message, but didn’t specify the reason.';
  if (kind === 'hard_bounce') return { bounce: { message, type: 'Permanent', subType: 'General' } };
  if (kind === 'soft_bounce') {
    return {
      bounce: { message: 'The mailbox is full.', type: 'Transient', subType: 'MailboxFull' },
    };
  }
  return {};
}
