import { Type } from '@sinclair/typebox';
import { keepsCredentials, showsLastFour, showsValue } from '../../credential-marks';
import { maxPerSecondSetting } from '../../rate';
import { findTypeByName } from '../mail';
import type { ApiError, MailApiCode } from './answers';
import { createMailApi } from './mail-api';
import { formatMailbox } from './mail-fields';
import { messageKey, postmarkReceipts } from './postmark-receipts';
import type { ApiMail, TestAnswer } from './service';

const minuteMs = 60_000;
const sender = { outcome: 'rejected', scope: 'integration', isAboutSender: true } as const;
const integration = { outcome: 'rejected', scope: 'integration' } as const;
const recipient = { outcome: 'rejected', scope: 'recipient' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const badSender = 'Postmark has no confirmed sender signature or domain for the sender’s address.';
const badStream = 'Postmark has no such message stream. Check it in the integration.';

/** Postmark's API error codes (postmarkapp.com/developer/api/overview#error-codes). */
const postmarkCodes = {
  wrong_token: {
    ...integration,
    code: '10',
    sentence: 'Postmark rejected the server token. Copy the current one.',
  },
  maintenance: {
    outcome: 'retry',
    afterMs: 5 * minuteMs,
    code: '100',
    sentence: 'Postmark’s API is offline for maintenance.',
  },
  invalid_from: {
    ...sender,
    code: '300',
    text: /'From'|\bFrom address\b/,
    sentence: 'Postmark refused the sender’s address.',
  },
  invalid_to: {
    ...recipient,
    code: '300',
    text: /'To'/,
    sentence: 'Postmark refused the recipient’s address.',
  },
  invalid_mail: { ...content, code: '300', sentence: 'Postmark refused a field of the mail.' },
  unknown_sender: { ...sender, code: '400', sentence: badSender },
  unconfirmed_sender: { ...sender, code: '401', sentence: badSender },
  no_credits: {
    ...integration,
    code: '405',
    sentence: 'The Postmark account has no credits left, or may not send.',
  },
  inactive_recipient: {
    ...recipient,
    code: '406',
    sentence:
      'Postmark does not send to this address: it bounced, complained or was suppressed there. Reactivate it in Postmark.',
  },
  forbidden_file: {
    ...content,
    code: '411',
    sentence: 'Postmark does not send files of this type.',
  },
  pending_account: {
    ...integration,
    code: '412',
    sentence:
      'The Postmark account is not approved yet. Until then, it sends only to its own domain.',
  },
  blocked_account: { ...integration, code: '413', sentence: 'The Postmark account may not send.' },
  too_fast: {
    outcome: 'retry',
    slows: 'integration',
    code: '429',
    sentence: 'Postmark asks for fewer calls.',
  },
  unknown_stream: { ...integration, code: '1235', sentence: badStream },
  wrong_stream: { ...integration, code: '1236', sentence: badStream },
  too_large: { ...content, status: 413, sentence: 'The mail is larger than Postmark allows.' },
} as const satisfies Record<string, MailApiCode>;

export const postmark = createMailApi({
  name: 'postmark',
  label: 'Postmark',
  settings: {
    message_stream: Type.Optional(
      Type.String({
        title: 'Message stream',
        description: 'Its ID, for example "outbound". Belfry sends transactional mail.',
        pattern: '^[a-z0-9][a-z0-9-]{0,29}$',
        default: 'outbound',
        ...keepsCredentials,
      }),
    ),
  },
  maxPerSecond: maxPerSecondSetting(),
  credentials: Type.Object({
    server_token: Type.String({
      title: 'Server API token',
      description: 'From the tab "API Tokens" of the server.',
      minLength: 1,
      maxLength: 256,
      ...showsLastFour,
    }),
    webhook_user: Type.Optional(
      Type.String({
        title: 'User name of the webhook',
        description: 'Any text. Enter the same under "Basic auth credentials" of the webhook.',
        maxLength: 128,
        ...keepsCredentials,
        ...showsValue,
      }),
    ),
    webhook_password: Type.Optional(
      Type.String({
        title: 'Password of the webhook',
        description: 'A long random text. Without user name and password, no report is accepted.',
        minLength: 16,
        maxLength: 256,
        ...keepsCredentials,
      }),
    ),
  }),
  // 50 recipients over To, Cc and Bcc (article 1180 of the support centre); "10 MB […] including
  // attachments" (postmarkapp.com/developer/user-guide/sending-email/sending-with-api).
  limits: { recipients: 50, bytes: 10_000_000 },
  codes: postmarkCodes,
  throttledMs: 10_000,
  getUrl: () => 'https://api.postmarkapp.com',
  getPath: () => '/email',
  createCall: (mail) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(createBody(mail)),
  }),
  authorize: (_request, { credentials }) => ({
    'x-postmark-server-token': String(credentials['server_token']),
  }),
  readId: ({ MessageID: id, ErrorCode: code }) => (code === 0 ? id : undefined),
  readError,
  listRefused: ({ Message: message }) => {
    const listed = typeof message === 'string' ? inactive.exec(message)?.[1] : undefined;
    return listed ? listed.split(/,\s*/, maxRecipients) : [];
  },
  test: {
    createRequest: () => ({ method: 'GET', path: '/server', headers: {}, body: '' }),
    read: readTest,
  },
  receipts: postmarkReceipts,
});

const maxRecipients = 50;
/** The message of an answer that accepts a part of the recipients. */
const inactive = /will not deliver to these inactive addresses: ([^\s,]+(?:, ?[^\s,]+)*?)\.?$/;

function readError({ ErrorCode: code, Message: message }: Record<string, unknown>): ApiError {
  return {
    ...(typeof code === 'number' ? { code: String(code) } : {}),
    ...(typeof message === 'string' ? { text: message } : {}),
  };
}

function createBody(mail: ApiMail): Record<string, unknown> {
  return {
    From: formatMailbox(mail.from),
    To: mail.to,
    ...(mail.cc.length > 0 ? { Cc: mail.cc.join(', ') } : {}),
    ...(mail.bcc.length > 0 ? { Bcc: mail.bcc.join(', ') } : {}),
    ...(mail.replyTo ? { ReplyTo: mail.replyTo } : {}),
    Subject: mail.subject,
    ...(mail.html === undefined ? {} : { HtmlBody: mail.html }),
    ...(mail.text === undefined ? {} : { TextBody: mail.text }),
    Headers: Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value })),
    Metadata: { [messageKey]: mail.messageId },
    MessageStream: mail.settings['message_stream'] ?? 'outbound',
    ...(mail.files.length > 0
      ? {
          Attachments: mail.files.map(({ fileName, bytes, contentType, contentId }) => ({
            Name: fileName,
            Content: bytes.toString('base64'),
            ContentType: contentType ?? findTypeByName(fileName),
            ...(contentId === undefined ? {} : { ContentID: `cid:${contentId}` }),
          })),
        }
      : {}),
  };
}

function readTest({ status, body }: TestAnswer): string | undefined {
  if (status !== 200) return undefined;
  return body['DeliveryType'] === 'Sandbox'
    ? 'Postmark accepts the token, but it is of a sandbox server, which delivers nothing.'
    : 'Postmark accepts the token.';
}
