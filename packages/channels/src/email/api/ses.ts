import { Type } from '@sinclair/typebox';
import type * as Aws4 from 'aws4';
import type { ConnectionTestResult } from '../../channel';
import { keepsCredentials, showsValue } from '../../credential-marks';
import { maxPerSecondSetting } from '../../rate';
import type { ApiError, MailApiCode } from './answers';
import { createMailApi } from './mail-api';
import type { ApiIntegration, ApiMail, ApiRequest, TestAnswer } from './service';
import { messageTag, sesReceipts } from './ses-receipts';

const hourMs = 3_600_000;
const sender = { outcome: 'rejected', scope: 'integration', isAboutSender: true } as const;
const integration = { outcome: 'rejected', scope: 'integration' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const badKey = 'AWS does not know the access key, or the secret does not match it.';
const tooFast = 'SES asks for fewer mails per second. Set the maximum of the integration.';

/**
 * Errors of the SES API v2 (docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html, and
 * its "Common Errors"). More specific rows come first.
 */
const sesCodes = {
  unverified_sender: {
    ...sender,
    code: 'MessageRejected',
    text: /not verified/i,
    sentence:
      'SES has not verified the sender’s address or domain; in the sandbox of SES, also not the recipient’s.',
  },
  message_rejected: { ...content, code: 'MessageRejected', sentence: 'SES rejected the mail.' },
  mail_from_domain: {
    ...sender,
    code: 'MailFromDomainNotVerifiedException',
    sentence: 'The MAIL FROM domain of the sender is not verified in SES.',
  },
  account_suspended: {
    ...integration,
    code: 'AccountSuspendedException',
    sentence: 'AWS has suspended sending for the account.',
  },
  sending_paused: {
    ...integration,
    code: 'SendingPausedException',
    sentence: 'Sending is paused for the account or its configuration set.',
  },
  not_found: {
    ...integration,
    code: 'NotFoundException',
    sentence: 'SES has no such configuration set in this region.',
  },
  daily_quota: {
    outcome: 'retry',
    afterMs: hourMs,
    slows: 'integration',
    text: /daily message quota/i,
    sentence: 'The SES account has reached its daily quota.',
  },
  too_fast: {
    outcome: 'retry',
    slows: 'integration',
    code: 'TooManyRequestsException',
    sentence: tooFast,
  },
  throttled: {
    outcome: 'retry',
    slows: 'integration',
    code: 'ThrottlingException',
    sentence: tooFast,
  },
  limit: {
    outcome: 'retry',
    afterMs: hourMs,
    code: 'LimitExceededException',
    sentence: 'The SES account has reached a limit.',
  },
  wrong_clock: {
    ...integration,
    text: /signature (?:expired|not yet current)/i,
    sentence: 'AWS refused the time of the signature. Correct this machine’s clock.',
  },
  wrong_key: { ...integration, code: 'UnrecognizedClientException', sentence: badKey },
  wrong_secret: { ...integration, code: 'InvalidSignatureException', sentence: badKey },
  access_denied: {
    ...integration,
    code: 'AccessDeniedException',
    sentence: 'The access key may not send. Its policy needs ses:SendRawEmail and ses:SendEmail.',
  },
  bad_request: {
    ...content,
    code: 'BadRequestException',
    sentence: 'SES refused a field of the mail.',
  },
} as const satisfies Record<string, MailApiCode>;

/** Regions with an endpoint of SES (docs.aws.amazon.com/general/latest/gr/ses.html). */
const regions = [
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...[
    'eu-central-1',
    'eu-central-2',
    'eu-west-1',
    'eu-west-2',
    'eu-west-3',
    'eu-north-1',
    'eu-south-1',
  ],
  ...['ap-south-1', 'ap-south-2', 'ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3'],
  ...['ap-southeast-1', 'ap-southeast-2', 'ap-southeast-3', 'af-south-1', 'il-central-1'],
  ...['me-south-1', 'me-central-1', 'us-gov-east-1', 'us-gov-west-1'],
] as const;

export const ses = createMailApi({
  name: 'ses',
  label: 'Amazon SES',
  settings: {
    region: Type.Union(
      regions.map((region) => Type.Literal(region)),
      { title: 'Region', description: 'The region of SES in which the sender is verified.' },
    ),
    configuration_set: Type.Optional(
      Type.String({
        title: 'Configuration set',
        description: 'Publishes events to the topic. Without it, SES sends no reports.',
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        ...keepsCredentials,
      }),
    ),
    topic_arn: Type.Optional(
      Type.String({
        title: 'SNS topic',
        description: 'The ARN of the topic with the events. Without it, no report is accepted.',
        pattern: '^arn:aws(-us-gov)?:sns:[a-z]{2}(-[a-z]+)+-[0-9]:[0-9]{12}:[A-Za-z0-9_-]{1,256}$',
        ...keepsCredentials,
      }),
    ),
  },
  maxPerSecond: maxPerSecondSetting(),
  credentials: Type.Object({
    access_key_id: Type.String({
      title: 'Access key ID',
      minLength: 1,
      maxLength: 128,
      ...showsValue,
    }),
    secret_access_key: Type.String({ title: 'Secret access key', minLength: 1, maxLength: 128 }),
  }),
  // "The combined number of To:, Cc: and Bcc: […] cannot exceed 50"; 40 MB with API v2 ("Service quotas").
  limits: { recipients: 50, bytes: 40_000_000 },
  codes: sesCodes,
  throttledMs: 1_000,
  getUrl: ({ region }) => `https://email.${String(region)}.amazonaws.com`,
  getPath: () => '/v2/email/outbound-emails',
  async createCall(mail) {
    const raw = await mail.composeMime();
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(createBody(mail, raw)),
    };
  },
  authorize: signRequest,
  readId: ({ MessageId: id }) => id,
  readError,
  test: {
    createRequest: () => ({ method: 'GET', path: '/v2/email/account', headers: {}, body: '' }),
    read: readTest,
  },
  receipts: sesReceipts,
});

function createBody(mail: ApiMail, raw: Buffer): Record<string, unknown> {
  const { configuration_set: set } = mail.settings;
  return {
    FromEmailAddress: mail.from.address,
    Destination: {
      ToAddresses: [mail.to],
      ...(mail.cc.length > 0 ? { CcAddresses: mail.cc } : {}),
      ...(mail.bcc.length > 0 ? { BccAddresses: mail.bcc } : {}),
    },
    Content: { Raw: { Data: raw.toString('base64') } },
    EmailTags: [{ Name: messageTag, Value: mail.messageId }],
    ...(typeof set === 'string' && set !== '' ? { ConfigurationSetName: set } : {}),
  };
}

/** Signature Version 4. Only these headers are signed, because a proxy may change others. */
function signRequest(
  { method, url, headers, body }: ApiRequest,
  { settings, credentials }: ApiIntegration,
): Record<string, string> {
  const { host, pathname: path } = new URL(url);
  // Loaded with the first mail.
  const aws4 = require('aws4') as typeof Aws4;
  const type = headers['content-type'];
  const signed = aws4.sign(
    {
      ...{ host, path, method, service: 'ses', region: String(settings['region']) },
      headers: type === undefined ? {} : { 'content-type': type },
      ...(method === 'GET' ? {} : { body }),
    },
    {
      accessKeyId: String(credentials['access_key_id']),
      secretAccessKey: String(credentials['secret_access_key']),
    },
  );
  const { Host: _, 'content-type': __, ...proof } = signed.headers;
  return proof;
}

/** AWS names the error in a header, as `<name>:<URL>`. */
function readError(
  { message, Message }: Record<string, unknown>,
  { headers }: { headers: Record<string, unknown> },
): ApiError {
  const code = String(headers['x-amzn-errortype'] ?? '').split(':')[0];
  const text = message ?? Message;
  return { ...(code ? { code } : {}), ...(typeof text === 'string' ? { text } : {}) };
}

function readTest({ status, body, error }: TestAnswer): string | ConnectionTestResult | undefined {
  if (error.code === 'AccessDeniedException') {
    return 'AWS accepts the access key. It may not read the account (ses:GetAccount), so sending was not checked.';
  }
  if (status !== 200) return undefined;
  const { SendingEnabled: isEnabled, ProductionAccessEnabled: isInProduction } = body;
  if (isEnabled !== true) return { isWorking: false, detail: sesCodes.sending_paused.sentence };
  return isInProduction === true
    ? 'SES accepts the access key, and sending is enabled.'
    : 'SES accepts the access key, but the account is in the sandbox: it sends only to verified addresses.';
}
