import { generateKeyPairSync, type KeyPairKeyObjectResult, sign as signBytes } from 'node:crypto';
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
import { readSendgridMail, sendgridError } from './sendgrid-rules';

export type SendgridOptions = {
  /** The only key that is let in; any key by default. */
  apiKey?: string;
  /** The scopes of the key. */
  scopes?: string[];
};

/** SendGrid's API, limited to sending a mail and listing scopes. */
export function createSendgridSimulator({
  apiKey,
  scopes = ['mail.send'],
}: SendgridOptions = {}): Promise<MailApiSimulator> {
  return createMailApiSimulator({
    authenticate: (request) => authenticate(request, apiKey),
    isSend: ({ method, path }) => method === 'POST' && path === '/v3/mail/send',
    read: (request) =>
      scopes.includes('mail.send')
        ? readSendgridMail(request)
        : sendgridError(403, 'access forbidden'),
    accept: (id) => ({ status: 202, headers: { 'x-message-id': id }, body: '' }),
    handleOther: ({ method, path }) =>
      method === 'GET' && path === '/v3/scopes'
        ? { body: { scopes } }
        : sendgridError(404, 'not found').reply,
    sign,
  });
}

function authenticate(
  request: HttpRequest,
  apiKey: string | undefined,
): { key: string } | { reply: HttpReply } {
  const key = /^Bearer (\S+)$/.exec(readHeader(request, 'authorization') ?? '')?.[1];
  const isRight = key !== undefined && (apiKey === undefined || key === apiKey);
  const message = 'The provided authorization grant is invalid, expired, or revoked';
  return isRight ? { key } : sendgridError(401, message);
}

const keys = new Map<'right' | 'wrong', KeyPairKeyObjectResult>();

function getKeys(which: 'right' | 'wrong'): KeyPairKeyObjectResult {
  const pair = keys.get(which) ?? generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  keys.set(which, pair);
  return pair;
}

/** The verification key of the simulated event webhook, as SendGrid's page shows it. */
export function getSendgridWebhookKey(): string {
  return getKeys('right').publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
}

/** By the examples of twilio.com/docs/sendgrid/for-developers/tracking-events/event. */
const events: Record<MailEventKind, object> = {
  delivered: { event: 'delivered', response: '250 OK' },
  delayed: { event: 'deferred', response: '400 try again later', attempt: '5' },
  hard_bounce: {
    event: 'bounce',
    type: 'bounce',
    status: '5.0.0',
    reason: '500 unknown recipient',
  },
  soft_bounce: { event: 'bounce', type: 'blocked', status: '5.7.1', reason: '550 blocked' },
  complaint: { event: 'spamreport' },
  suppressed: { event: 'dropped', reason: 'Bounced Address', status: '5.0.0' },
  opened: { event: 'open', useragent: 'Mozilla/4.0', ip: '255.255.255.255' },
};

let eventCount = 0;

function sign({ id, mail, messageId }: MailApiSend, report: MailReport): SignedReport {
  const { kind, recipient = mail.to[0], signature = 'right', atMs = Date.now() } = report;
  eventCount += 1;
  const event = {
    email: recipient,
    timestamp: Math.floor(atMs / 1_000),
    'smtp-id': `<${messageId}@example.com>`,
    category: ['cat facts'],
    sg_event_id: `event-${eventCount}`,
    sg_message_id: `${id}.filter0001.16648.5515E0B88.0`,
    belfry_message: messageId,
    ...events[kind],
  };
  const body = `${JSON.stringify([event])}\r\n`;
  if (signature === 'none') return { headers: { 'content-type': 'application/json' }, body };
  const time = String(Math.floor(atMs / 1_000));
  const { privateKey } = getKeys(signature);
  return {
    headers: {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': signBytes(
        'sha256',
        Buffer.from(time + body),
        privateKey,
      ).toString('base64'),
      'x-twilio-email-event-webhook-timestamp': time,
    },
    body,
  };
}
