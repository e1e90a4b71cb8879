import { createHmac, randomBytes } from 'node:crypto';
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
import { mailgunError, readMailgunMail, readParts } from './mailgun-rules';

/** The signing key of the simulated webhooks. */
export const mailgunWebhookKey = 'simulated-mailgun-signing-key';

export type MailgunOptions = {
  /** The only key that is let in; any key by default. */
  apiKey?: string;
  /** The domain of the account. */
  domain?: string;
};

/** Mailgun's API, limited to sending a mail. */
export function createMailgunSimulator({
  apiKey,
  domain = 'mg.example.com',
}: MailgunOptions = {}): Promise<MailApiSimulator> {
  return createMailApiSimulator({
    authenticate: (request) => authenticate(request, { apiKey, domain }),
    isSend: ({ method, path }) => method === 'POST' && path === `/v3/${domain}/messages.mime`,
    read: readMailgunMail,
    accept: (id) => ({ body: { id: `<${id}@${domain}>`, message: 'Queued. Thank you.' } }),
    handleOther: (request) => handleOther(request, domain),
    sign,
  });
}

function authenticate(
  request: HttpRequest,
  { apiKey, domain }: { apiKey: string | undefined; domain: string },
): { key: string } | { reply: HttpReply } {
  const token = /^Basic (\S+)$/.exec(readHeader(request, 'authorization') ?? '')?.[1] ?? '';
  const [, key] = /^api:(.+)$/.exec(Buffer.from(token, 'base64').toString('utf8')) ?? [];
  const isRight = key !== undefined && (apiKey === undefined || key === apiKey);
  // Mailgun answers with a text.
  if (!isRight) return { reply: { status: 401, body: 'Forbidden' } };
  const named = /^\/v3\/([^/]+)\//.exec(request.path)?.[1];
  return named === domain ? { key } : mailgunError(404, `Domain not found: ${named}`);
}

function handleOther(request: HttpRequest, domain: string): HttpReply {
  if (request.method !== 'POST' || request.path !== `/v3/${domain}/messages`) {
    return mailgunError(404, 'Not found').reply;
  }
  return readParts(request)?.has('from')
    ? mailgunError(400, 'This simulator sends only MIME').reply
    : mailgunError(400, 'from parameter is missing').reply;
}

/** By the examples of documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads. */
const events: Record<MailEventKind, object> = {
  delivered: { event: 'delivered', 'delivery-status': { code: 250, message: 'OK' } },
  delayed: {
    event: 'failed',
    severity: 'temporary',
    reason: 'generic',
    'delivery-status': { code: 452, message: '4.2.2 The inbox is full', 'retry-seconds': 600 },
  },
  hard_bounce: {
    event: 'failed',
    severity: 'permanent',
    reason: 'bounce',
    'delivery-status': { code: 550, message: '5.1.1 No such user', 'bounce-type': 'hard' },
  },
  soft_bounce: {
    event: 'failed',
    severity: 'permanent',
    reason: 'old',
    'delivery-status': { code: 498, message: 'Too old' },
  },
  complaint: { event: 'complained' },
  suppressed: {
    event: 'failed',
    severity: 'permanent',
    reason: 'suppress-bounce',
    'delivery-status': { code: 605, description: 'Not delivering to previously bounced address' },
  },
  opened: { event: 'opened', geolocation: { country: 'US' } },
};

function sign({ id, mail, messageId }: MailApiSend, report: MailReport): SignedReport {
  const { kind, recipient = mail.to[0], signature = 'right', atMs = Date.now() } = report;
  const timestamp = String(Math.floor(atMs / 1_000));
  const token = randomBytes(25).toString('hex');
  const key = signature === 'right' ? mailgunWebhookKey : 'another key';
  const digest = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...(signature === 'none' ? {} : { signature: { timestamp, token, signature: digest } }),
      'event-data': {
        ...events[kind],
        id: randomBytes(16).toString('base64url'),
        timestamp: atMs / 1_000,
        recipient,
        message: {
          headers: {
            from: mail.from.address,
            to: mail.to.join(', '),
            subject: mail.subject,
            'message-id': `${id}@mg.example.com`,
          },
          size: 341,
        },
        flags: { 'is-authenticated': true, 'is-test-mode': false },
        'user-variables': { belfry_message: messageId },
      },
    }),
  };
}
