import { Type } from '@sinclair/typebox';
import type { ConnectionTestResult } from '../../channel';
import { keepsCredentials, showsLastFour, showsValue } from '../../credential-marks';
import { maxPerSecondSetting } from '../../rate';
import { isRecord } from '../../read-json';
import { findTypeByName } from '../mail';
import type { ApiError, MailApiCode } from './answers';
import { createMailApi } from './mail-api';
import { messageArgument, parseEventKey, sendgridReceipts } from './sendgrid-receipts';
import type { ApiMail, TestAnswer } from './service';

const sender = { outcome: 'rejected', scope: 'integration', isAboutSender: true } as const;
const integration = { outcome: 'rejected', scope: 'integration' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const badSender = 'SendGrid refused the sender’s address.';

/**
 * SendGrid's errors, which have a field and a text, but no code
 * (twilio.com/docs/sendgrid/api-reference/mail-send/errors).
 */
const sendgridCodes = {
  no_credits: {
    ...integration,
    text: /maximum credits exceeded/i,
    sentence: 'The SendGrid account has used its credits. Upgrade it.',
  },
  unverified_sender: {
    ...sender,
    text: /verified sender identity/i,
    sentence: 'SendGrid has no verified sender identity for the sender’s address.',
  },
  wrong_key: {
    ...integration,
    status: 401,
    sentence: 'SendGrid rejected the API key. Create a new one and store it.',
  },
  forbidden: {
    ...integration,
    status: 403,
    sentence: 'SendGrid does not let this API key send mail. It needs the scope "Mail Send".',
  },
  invalid_from: { ...sender, code: 'from', sentence: badSender },
  invalid_from_address: { ...sender, code: 'from.email', sentence: badSender },
  invalid_to: {
    outcome: 'rejected',
    scope: 'recipient',
    code: 'personalizations.0.to.0.email',
    sentence: 'SendGrid refused the recipient’s address.',
  },
  too_large: { ...content, status: 413, sentence: 'The mail is larger than SendGrid allows.' },
} as const satisfies Record<string, MailApiCode>;

const urls = { global: 'https://api.sendgrid.com', eu: 'https://api.eu.sendgrid.com' } as const;

export const sendgrid = createMailApi({
  name: 'sendgrid',
  label: 'SendGrid',
  settings: {
    region: Type.Optional(
      Type.Union([Type.Literal('global'), Type.Literal('eu')], {
        title: 'Region',
        description: 'Where the account or subuser is. Empty means "global".',
        default: 'global',
      }),
    ),
  },
  maxPerSecond: maxPerSecondSetting(),
  credentials: Type.Object({
    api_key: Type.String({
      title: 'API key',
      description: 'A key with the scope "Mail Send" is enough.',
      minLength: 1,
      maxLength: 256,
      ...showsLastFour,
    }),
    webhook_key: Type.Optional(
      Type.String({
        title: 'Verification key of the event webhook',
        description:
          'The public key under "Signed Event Webhook". Without it, no report is accepted.',
        maxLength: 1_024,
        ...keepsCredentials,
        ...showsValue,
      }),
    ),
  }),
  check: ({ webhook_key: key }) =>
    key && !parseEventKey(key) ? ['webhook_key is not a public key of SendGrid'] : [],
  // "The total size of your email, including attachments, must be less than 30MB"; "a limit of 1000
  // total recipients (to + cc + bcc)" (twilio.com/docs/sendgrid/api-reference/mail-send).
  limits: { recipients: 1_000, bytes: 30_000_000 },
  codes: sendgridCodes,
  throttledMs: 10_000,
  getUrl: ({ region }) => (region === 'eu' ? urls.eu : urls.global),
  getPath: () => '/v3/mail/send',
  createCall: (mail) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(createBody(mail)),
  }),
  authorize: (_request, { credentials }) => ({
    authorization: `Bearer ${credentials['api_key']}`,
  }),
  readId: (_body, { status, headers }) => (status === 202 ? headers['x-message-id'] : undefined),
  readError,
  test: {
    createRequest: () => ({ method: 'GET', path: '/v3/scopes', headers: {}, body: '' }),
    read: readTest,
  },
  receipts: sendgridReceipts,
});

function readError({ errors }: Record<string, unknown>): ApiError {
  const listed = Array.isArray(errors) ? errors.filter(isRecord) : [];
  const { field, message } = listed[0] ?? {};
  return {
    ...(typeof field === 'string' ? { code: field } : {}),
    ...(typeof message === 'string' ? { text: message } : {}),
  };
}

function createBody(mail: ApiMail): Record<string, unknown> {
  const toAddresses = (addresses: string[]) => addresses.map((email) => ({ email }));
  return {
    personalizations: [
      {
        to: [{ email: mail.to }],
        ...(mail.cc.length > 0 ? { cc: toAddresses(mail.cc) } : {}),
        ...(mail.bcc.length > 0 ? { bcc: toAddresses(mail.bcc) } : {}),
        custom_args: { [messageArgument]: mail.messageId },
      },
    ],
    from: { email: mail.from.address, ...(mail.from.name ? { name: mail.from.name } : {}) },
    ...(mail.replyTo ? { reply_to: { email: mail.replyTo } } : {}),
    subject: mail.subject,
    // "text/plain" must come first.
    content: [
      ...(mail.text ? [{ type: 'text/plain', value: mail.text }] : []),
      ...(mail.html ? [{ type: 'text/html', value: mail.html }] : []),
    ],
    headers: mail.headers,
    ...(mail.files.length > 0
      ? {
          attachments: mail.files.map(
            ({ fileName, bytes, contentType, contentId, disposition }) => ({
              filename: fileName,
              content: bytes.toString('base64'),
              // SendGrid takes no parameters, such as those of an invitation.
              type: (contentType ?? findTypeByName(fileName)).split(';')[0]?.trim(),
              disposition: disposition ?? (contentId === undefined ? 'attachment' : 'inline'),
              ...(contentId === undefined ? {} : { content_id: contentId }),
            }),
          ),
        }
      : {}),
  };
}

function readTest({ status, body }: TestAnswer): ConnectionTestResult | undefined {
  if (status !== 200) return undefined;
  const scopes = Array.isArray(body['scopes']) ? body['scopes'] : [];
  return scopes.includes('mail.send')
    ? { isWorking: true, detail: 'SendGrid accepts the API key, which may send mail.' }
    : { isWorking: false, detail: sendgridCodes.forbidden.sentence };
}
