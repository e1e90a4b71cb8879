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
import { postmarkError, readPostmarkMail } from './postmark-rules';

/** The credentials of the simulated webhooks. */
export const postmarkWebhook = {
  webhook_user: 'postmark',
  webhook_password: 'simulated-postmark-password',
};

export type PostmarkOptions = {
  /** The only token that is let in; any token by default. */
  serverToken?: string;
  isSandbox?: boolean;
};

/** Postmark's API, limited to sending a mail and reading the server. */
export function createPostmarkSimulator(options: PostmarkOptions = {}): Promise<MailApiSimulator> {
  return createMailApiSimulator({
    authenticate: (request) => authenticate(request, options),
    isSend: ({ method, path }) => method === 'POST' && path === '/email',
    read: readPostmarkMail,
    accept: (id, { mail }) => ({
      body: {
        To: mail.to.join(', '),
        SubmittedAt: '2026-01-01T00:00:00.0000000Z',
        MessageID: id,
        ErrorCode: 0,
        Message: 'OK',
      },
    }),
    handleOther: ({ method, path }) => {
      if (method !== 'GET' || path !== '/server') return { status: 404, body: '<html>' };
      const DeliveryType = options.isSandbox ? 'Sandbox' : 'Live';
      return { body: { ID: 1, Name: 'Simulated', DeliveryType } };
    },
    sign,
  });
}

function authenticate(
  request: HttpRequest,
  { serverToken }: PostmarkOptions,
): { key: string } | { reply: HttpReply } {
  if (!readHeader(request, 'accept')?.includes('application/json')) {
    return { reply: { status: 406, body: '<html>' } };
  }
  const key = readHeader(request, 'x-postmark-server-token');
  if (!key) {
    const message = 'No Account or Server API tokens were supplied in the HTTP headers.';
    return postmarkError(10, message, 401);
  }
  return serverToken === undefined || key === serverToken
    ? { key }
    : postmarkError(10, 'The Server Token you provided is not valid.', 401);
}

function sign({ id, mail, messageId }: MailApiSend, report: MailReport): SignedReport {
  const { kind, recipient = mail.to[0], signature = 'right', atMs = Date.now() } = report;
  const { webhook_user: user, webhook_password: right } = postmarkWebhook;
  const password = signature === 'right' ? right : 'wrong';
  const token = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    headers: {
      'content-type': 'application/json',
      ...(signature === 'none' ? {} : { authorization: `Basic ${token}` }),
    },
    body: JSON.stringify({
      ...createEvent(kind, { recipient, time: new Date(atMs).toISOString() }),
      MessageID: id,
      ServerID: 23,
      MessageStream: 'outbound',
      Tag: '',
      Metadata: { belfry_message: messageId },
      ...(kind === 'delivered' ? {} : { Subject: mail.subject, Content: mail.text }),
    }),
  };
}

/** Bounces by the examples of postmarkapp.com/developer/webhooks/bounce-webhook and its type codes. */
const bounces: Partial<Record<MailEventKind, { Type: string; TypeCode: number; Name: string }>> = {
  hard_bounce: { Type: 'HardBounce', TypeCode: 1, Name: 'Hard bounce' },
  soft_bounce: { Type: 'SoftBounce', TypeCode: 4096, Name: 'Soft bounce' },
  delayed: { Type: 'Transient', TypeCode: 2, Name: 'Message delayed' },
  complaint: { Type: 'SpamComplaint', TypeCode: 512, Name: 'Spam complaint' },
  suppressed: { Type: 'ManuallyDeactivated', TypeCode: 100_006, Name: 'Manually deactivated' },
};

function createEvent(
  kind: MailEventKind,
  { recipient, time }: { recipient: string | undefined; time: string },
): object {
  if (kind === 'delivered') {
    return {
      RecordType: 'Delivery',
      Recipient: recipient,
      DeliveredAt: time,
      Details: 'smtp;250 2.0.0 OK',
    };
  }
  const bounce = bounces[kind];
  if (!bounce) return { RecordType: 'Open', Recipient: recipient, ReceivedAt: time };
  return {
    RecordType: kind === 'complaint' ? 'SpamComplaint' : 'Bounce',
    ID: 692_560_173,
    ...bounce,
    Description: 'The server was unable to deliver your message.',
    Details: 'smtp;550 5.1.1 The email account does not exist.',
    Email: recipient,
    From: 'noreply@example.com',
    BouncedAt: time,
    Inactive: kind !== 'soft_bounce',
    DumpAvailable: true,
    CanActivate: true,
  };
}
