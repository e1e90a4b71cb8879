import { Type } from '@sinclair/typebox';
import { keepsCredentials, showsLastFour } from '../../credential-marks';
import { maxPerSecondSetting } from '../../rate';
import type { MailApiCode } from './answers';
import { createMailApi } from './mail-api';
import { mailgunReceipts, messageVariable } from './mailgun-receipts';
import { createMultipart } from './multipart';
import type { TestAnswer } from './service';

const sender = { outcome: 'rejected', scope: 'integration', isAboutSender: true } as const;
const integration = { outcome: 'rejected', scope: 'integration' } as const;

/**
 * Mailgun's errors, which have a text, but no code (documentation.mailgun.com, "Errors" of the API
 * reference, and the answers that its OpenAPI description shows).
 */
const mailgunCodes = {
  wrong_key: {
    ...integration,
    status: 401,
    sentence: 'Mailgun rejected the API key. Check key and region.',
  },
  unknown_domain: {
    ...integration,
    status: 404,
    sentence: 'Mailgun has no such domain in this region. Check domain and region.',
  },
  sandbox_domain: {
    ...integration,
    text: /sandbox subdomains|authorized recipients/i,
    sentence: 'The domain is a sandbox of Mailgun, which sends only to authorized recipients.',
  },
  forbidden: {
    ...integration,
    status: 403,
    sentence: 'Mailgun does not let the account or domain send. Look at Mailgun’s dashboard.',
  },
  invalid_to: {
    outcome: 'rejected',
    scope: 'recipient',
    text: /'?\bto\b'? parameter is not a valid address/i,
    sentence: 'Mailgun refused the recipient’s address.',
  },
  invalid_from: {
    ...sender,
    text: /'?\bfrom\b'? parameter|invalid (?:from|sender)/i,
    sentence: 'Mailgun refused the sender’s address.',
  },
  too_large: {
    outcome: 'rejected',
    scope: 'content',
    status: 413,
    sentence: 'The mail is larger than Mailgun allows.',
  },
} as const satisfies Record<string, MailApiCode>;

const urls = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' } as const;

export const mailgun = createMailApi({
  name: 'mailgun',
  label: 'Mailgun',
  settings: {
    region: Type.Optional(
      Type.Union([Type.Literal('us'), Type.Literal('eu')], {
        title: 'Region',
        description: 'The region of the domain. Empty means "us".',
        default: 'us',
      }),
    ),
    domain: Type.String({
      title: 'Domain',
      description: 'The sending domain at Mailgun, for example "mg.example.com".',
      pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$',
      maxLength: 253,
    }),
  },
  maxPerSecond: maxPerSecondSetting(),
  credentials: Type.Object({
    api_key: Type.String({
      title: 'API key',
      description: 'A sending key of the domain is enough.',
      minLength: 1,
      maxLength: 256,
      ...showsLastFour,
    }),
    webhook_key: Type.Optional(
      Type.String({
        title: 'HTTP webhook signing key',
        description: 'From the API security page. Without it, no report is accepted.',
        maxLength: 256,
        ...keepsCredentials,
        ...showsLastFour,
      }),
    ),
  }),
  // "The maximum message size Mailgun supports is 25MB" ("Send via HTTP"); 1,000 recipients ("Batch sending").
  limits: { recipients: 1_000, bytes: 25_000_000 },
  codes: mailgunCodes,
  throttledMs: 10_000,
  getUrl: ({ region }) => (region === 'eu' ? urls.eu : urls.us),
  getPath: ({ domain }) => `/v3/${String(domain)}/messages.mime`,
  async createCall(mail) {
    const fields = {
      to: [mail.to, ...mail.cc, ...mail.bcc].join(','),
      [`v:${messageVariable}`]: mail.messageId,
    };
    const bytes = await mail.composeMime();
    return createMultipart(fields, { name: 'message', fileName: 'message.eml', bytes });
  },
  authorize: (_request, { credentials }) => ({
    authorization: `Basic ${Buffer.from(`api:${credentials['api_key']}`).toString('base64')}`,
  }),
  readId: ({ id }) => (typeof id === 'string' ? id.replace(/^<|>$/g, '') : undefined),
  readError: ({ message }, { body }) => ({
    text: typeof message === 'string' ? message : body.toString('utf8', 0, maxTextBytes),
  }),
  test: {
    // A sending key may not read the domain. A mail without a sender is refused after key and domain were checked.
    createRequest: ({ settings }) => ({
      method: 'POST',
      path: `/v3/${String(settings['domain'])}/messages`,
      ...createMultipart({ 'o:testmode': 'yes' }),
    }),
    read: readTest,
  },
  receipts: mailgunReceipts,
});

const maxTextBytes = 500;

function readTest({ status, error, settings }: TestAnswer): string | undefined {
  return status === 400 && /from parameter is missing/i.test(error.text ?? '')
    ? `Mailgun accepts the key for the domain ${String(settings['domain'])}.`
    : undefined;
}
