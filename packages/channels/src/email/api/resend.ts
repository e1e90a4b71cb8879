import { Type } from '@sinclair/typebox';
import { keepsCredentials, showsLastFour } from '../../credential-marks';
import { maxPerSecondSetting } from '../../rate';
import { isRecord } from '../../read-json';
import { findTypeByName } from '../mail';
import type { MailApiCode } from './answers';
import { createMailApi } from './mail-api';
import { formatMailbox } from './mail-fields';
import { copiesTag, messageTag, resendReceipts } from './resend-receipts';
import type { ApiMail, TestAnswer } from './service';

const hourMs = 3_600_000;
const sender = { outcome: 'rejected', scope: 'integration', isAboutSender: true } as const;
const integration = { outcome: 'rejected', scope: 'integration' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const badKey = 'Resend rejected the API key. Create a new one and store it.';
const wrongDomain =
  'Resend does not let this account send from the sender’s domain. Verify it there.';

/** Resend's errors (resend.com/docs/api-reference/errors). More specific rows come first. */
const resendCodes = {
  wrong_key: { ...integration, text: /api key is invalid/i, sentence: badKey },
  invalid_key: { ...integration, code: 'invalid_api_key', sentence: badKey },
  missing_key: { ...integration, code: 'missing_api_key', sentence: badKey },
  restricted_key: {
    ...integration,
    code: 'restricted_api_key',
    sentence: 'The API key may not make this call.',
  },
  unverified_domain: {
    ...sender,
    text: /domain is not verified|only send testing emails|not authorized to send/i,
    sentence: wrongDomain,
  },
  invalid_from: {
    ...sender,
    code: 'invalid_from_address',
    sentence: 'Resend refused the sender’s address.',
  },
  invalid_from_field: {
    ...sender,
    text: /invalid `from`/i,
    sentence: 'Resend refused the sender’s address.',
  },
  invalid_to: {
    outcome: 'rejected',
    scope: 'recipient',
    text: /invalid `to`/i,
    sentence: 'Resend refused the recipient’s address.',
  },
  reused_key: {
    outcome: 'unknown',
    code: 'invalid_idempotent_request',
    sentence:
      'Resend already took a mail for this message with other content, and did not take this one.',
  },
  in_progress: {
    outcome: 'retry',
    afterMs: 5_000,
    code: 'concurrent_idempotent_requests',
    sentence: 'Resend is still processing the first request for this message.',
  },
  daily_quota: {
    outcome: 'retry',
    afterMs: hourMs,
    slows: 'integration',
    code: 'daily_quota_exceeded',
    sentence: 'The Resend account has reached its daily quota.',
  },
  monthly_quota: {
    ...integration,
    code: 'monthly_quota_exceeded',
    sentence: 'The Resend account has reached its monthly quota. Upgrade it.',
  },
  too_fast: {
    outcome: 'retry',
    slows: 'integration',
    code: 'rate_limit_exceeded',
    sentence: 'Resend asks for fewer calls per second.',
  },
  bad_attachment: {
    ...content,
    code: 'invalid_attachment',
    sentence: 'Resend refused an attachment.',
  },
  security: {
    ...content,
    code: 'security_error',
    sentence: 'Resend found a security problem in the mail.',
  },
} as const satisfies Record<string, MailApiCode>;

export const resend = createMailApi({
  name: 'resend',
  label: 'Resend',
  settings: {},
  // "2 requests per second per team" by default (resend.com/docs/api-reference/introduction).
  maxPerSecond: maxPerSecondSetting(2),
  credentials: Type.Object({
    api_key: Type.String({
      title: 'API key',
      description: 'A key with "Sending access" is enough.',
      minLength: 1,
      maxLength: 256,
      ...showsLastFour,
    }),
    webhook_secret: Type.Optional(
      Type.String({
        title: 'Signing secret of the webhook',
        description: 'Starts with "whsec_". Without it, no report is accepted.',
        maxLength: 256,
        ...keepsCredentials,
        ...showsLastFour,
      }),
    ),
  }),
  // "to: max 50"; "max 40MB per email, after Base64 encoding" (resend.com/docs/api-reference/emails/send-email).
  limits: { recipients: 50, bytes: 40_000_000 },
  codes: resendCodes,
  throttledMs: 1_000,
  getUrl: () => 'https://api.resend.com',
  getPath: () => '/emails',
  createCall: (mail) => ({
    headers: { 'content-type': 'application/json', 'idempotency-key': mail.messageId },
    body: JSON.stringify(createBody(mail)),
  }),
  authorize: (_request, { credentials }) => ({
    authorization: `Bearer ${credentials['api_key']}`,
  }),
  readId: ({ id }) => id,
  readError: ({ name, message }) => ({
    ...(typeof name === 'string' ? { code: name } : {}),
    ...(typeof message === 'string' ? { text: message } : {}),
  }),
  test: {
    createRequest: () => ({ method: 'GET', path: '/domains', headers: {}, body: '' }),
    read: readTest,
  },
  receipts: resendReceipts,
});

function createBody(mail: ApiMail): Record<string, unknown> {
  return {
    from: formatMailbox(mail.from),
    to: [mail.to],
    ...(mail.cc.length > 0 ? { cc: mail.cc } : {}),
    ...(mail.bcc.length > 0 ? { bcc: mail.bcc } : {}),
    ...(mail.replyTo ? { reply_to: mail.replyTo } : {}),
    subject: mail.subject,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    // Without it, Resend would make a text of its own.
    text: mail.text ?? '',
    headers: mail.headers,
    tags: [
      { name: messageTag, value: mail.messageId },
      ...(mail.hasCopies ? [{ name: copiesTag, value: 'yes' }] : []),
    ],
    ...(mail.files.length > 0
      ? {
          attachments: mail.files.map(({ fileName, bytes, contentType, contentId }) => ({
            filename: fileName,
            content: bytes.toString('base64'),
            content_type: contentType ?? findTypeByName(fileName),
            ...(contentId === undefined ? {} : { content_id: contentId }),
          })),
        }
      : {}),
  };
}

/** A key for sending only may not list domains, but the refusal proves that Resend knows it. */
function readTest({ status, body, error, settings }: TestAnswer): string | undefined {
  if (error.code === 'restricted_api_key') {
    return 'Resend accepts the API key. It is for sending only, so the domain was not checked.';
  }
  if (status !== 200) return undefined;
  const domain = settings.from.address.split('@')[1]?.toLowerCase() ?? '';
  const domains = Array.isArray(body['data']) ? body['data'].filter(isRecord) : [];
  const isVerified = domains.some(
    ({ name, status: state }) => name === domain && state === 'verified',
  );
  return isVerified
    ? `Resend accepts the API key, and ${domain} is verified.`
    : `Resend accepts the API key, but ${domain} is not a verified domain of the account. Verify it before you send.`;
}
