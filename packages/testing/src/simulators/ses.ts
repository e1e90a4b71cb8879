import { createSign, randomUUID } from 'node:crypto';
import { type AwsCredentials, findSignatureProblem, type SignatureProblem } from './aws-signature';
import type { HttpReply, HttpRequest } from './http-simulator';
import {
  createMailApiSimulator,
  type MailApiSend,
  type MailApiSimulator,
  type MailEventKind,
  type MailReport,
  type SignedReport,
} from './mail-api';
import { readSesMail, sesError } from './ses-rules';
import { snsCertificate, snsKey } from './sns-certificate';

/** The account of the simulated SES and SNS. */
export const sesAccount = {
  accessKeyId: 'AKIASIMULATED0000001',
  region: 'eu-central-1',
  topicArn: 'arn:aws:sns:eu-central-1:123456789012:belfry-mail',
};

export const sesCertificateUrl =
  'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem';

export type SesOptions = Partial<AwsCredentials> & {
  isSendingEnabled?: boolean;
  isInSandbox?: boolean;
};

export type SesSimulator = MailApiSimulator & {
  /** A signed message of SNS. */
  signSns(message: Record<string, string>, changes?: { version?: '1' | '2' }): string;
};

/** The API of SES, limited to sending a mail and reading the account; and the certificates and confirmations of SNS. */
export async function createSesSimulator(options: SesOptions = {}): Promise<SesSimulator> {
  const { isSendingEnabled = true, isInSandbox = false } = options;
  const credentials = {
    accessKeyId: sesAccount.accessKeyId,
    secretAccessKey: 'simulated/secret+access+key',
    region: sesAccount.region,
    ...options,
  };
  const simulator = await createMailApiSimulator({
    authenticate(request) {
      // SNS serves both to everybody.
      if (isSns(request)) return { reply: answerSns(request) };
      const problem = findSignatureProblem(request, credentials, signatureRules);
      return problem
        ? sesError(403, ...signatureErrors[problem])
        : { key: credentials.accessKeyId };
    },
    isSend: ({ method, path }) => method === 'POST' && path === '/v2/email/outbound-emails',
    read: readSesMail,
    accept: (id) => ({ body: { MessageId: id } }),
    handleOther: ({ method, path }) =>
      method === 'GET' && path === '/v2/email/account'
        ? { body: { SendingEnabled: isSendingEnabled, ProductionAccessEnabled: !isInSandbox } }
        : sesError(404, 'NotFoundException', 'Not found').reply,
    sign,
  });
  return { ...simulator, signSns };
}

const signatureRules = {
  service: 'ses',
  signedHeaders: ['host', 'x-amz-date'],
  maxSkewMs: 5 * 60_000,
} as const;

const notTheSame: [type: string, message: string] = [
  'InvalidSignatureException',
  'The request signature we calculated does not match the signature you provided.',
];

const signatureErrors: Record<SignatureProblem, [type: string, message: string]> = {
  missing: ['MissingAuthenticationTokenException', 'Missing Authentication Token'],
  unknownKey: [
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  ],
  scope: notTheSame,
  signature: notTheSame,
  time: ['InvalidSignatureException', 'Signature expired'],
};

const isSns = ({ path }: HttpRequest) =>
  path.startsWith('/SimpleNotificationService-') || path.startsWith('/?Action=');

function answerSns({ path }: HttpRequest): HttpReply {
  return path.endsWith('.pem')
    ? { headers: { 'content-type': 'application/octet-stream' }, body: snsCertificate }
    : { headers: { 'content-type': 'text/xml' }, body: '<ConfirmSubscriptionResponse/>' };
}

const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
};

/** By docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html. */
function signSns(
  message: Record<string, string>,
  { version = '2' }: { version?: '1' | '2' } = {},
): string {
  const names =
    message['Type'] === 'Notification'
      ? signedFields.Notification
      : signedFields.SubscriptionConfirmation;
  const text = names
    .filter((name) => message[name] !== undefined)
    .map((name) => `${name}\n${message[name]}\n`)
    .join('');
  const signature = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256')
    .update(text)
    .sign(snsKey, 'base64');
  return JSON.stringify({
    ...message,
    SignatureVersion: version,
    Signature: signature,
    SigningCertURL: sesCertificateUrl,
    UnsubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe',
  });
}

/** By the examples of docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html. */
function createEvent(kind: MailEventKind, address: string | undefined): object {
  const bounce = (bounceType: string, bounceSubType: string, status: string) => ({
    eventType: 'Bounce',
    bounce: {
      bounceType,
      bounceSubType,
      bouncedRecipients: [
        {
          emailAddress: address,
          action: 'failed',
          status,
          diagnosticCode: `smtp; 550 ${status} user unknown`,
        },
      ],
      timestamp: '2026-01-01T00:00:00.000Z',
      feedbackId: '01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',
    },
  });
  switch (kind) {
    case 'delivered':
      return {
        eventType: 'Delivery',
        delivery: { recipients: [address], smtpResponse: '250 2.6.0 Message received' },
      };
    case 'delayed':
      return {
        eventType: 'DeliveryDelay',
        deliveryDelay: {
          delayType: 'TransientCommunicationFailure',
          delayedRecipients: [{ emailAddress: address, status: '4.4.1' }],
        },
      };
    case 'hard_bounce':
      return bounce('Permanent', 'General', '5.1.1');
    case 'soft_bounce':
      return bounce('Transient', 'MailboxFull', '5.2.2');
    case 'suppressed':
      return bounce('Permanent', 'OnAccountSuppressionList', '5.1.1');
    case 'complaint':
      return {
        eventType: 'Complaint',
        complaint: {
          complainedRecipients: [{ emailAddress: address }],
          complaintFeedbackType: 'abuse',
        },
      };
    case 'opened':
      return { eventType: 'Open', open: { ipAddress: '192.0.2.1' } };
  }
}

function sign({ id, mail, messageId }: MailApiSend, report: MailReport): SignedReport {
  const { kind, recipient = mail.to[0], signature = 'right', atMs = Date.now() } = report;
  const event = {
    ...createEvent(kind, recipient),
    mail: {
      messageId: id,
      source: mail.from.address,
      destination: [...mail.to, ...mail.cc],
      commonHeaders: { subject: mail.subject },
      headers: [{ name: 'Subject', value: mail.subject }],
      tags: { belfry_message: [messageId], 'ses:configuration-set': ['belfry'] },
    },
  };
  const signed = signSns({
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: sesAccount.topicArn,
    Message: JSON.stringify(event),
    Timestamp: new Date(atMs).toISOString(),
  });
  const { Signature: right, ...unsigned } = JSON.parse(signed);
  const wrong = Buffer.from(right, 'base64').fill(0).toString('base64');
  const body =
    signature === 'right'
      ? signed
      : JSON.stringify({ ...unsigned, ...(signature === 'wrong' ? { Signature: wrong } : {}) });
  return { headers: { 'content-type': 'text/plain; charset=UTF-8' }, body };
}
