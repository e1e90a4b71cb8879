import { createSesSimulator, sesAccount } from '@belfry/testing';
import { credential, rejected } from '../../provider-subject.fixture';
import { type MailService, reply } from './mail-api.subject.fixture';
import { ses } from './ses';

const refuse = (status: number, type: string, message = 'Refused') =>
  reply(status, { message }, { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` });

export const sesService: MailService = {
  name: 'ses',
  provider: ses,
  createSimulator: () => createSesSimulator({ secretAccessKey: credential }),
  settings: {
    region: sesAccount.region,
    configuration_set: 'belfry',
    topic_arn: sesAccount.topicArn,
  },
  credentials: { access_key_id: sesAccount.accessKeyId, secret_access_key: credential },
  refuse: (text) => refuse(403, 'InvalidSignatureException', `The signature is wrong: ${text}`),
  refuseSender: refuse(
    400,
    'MessageRejected',
    'Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: x',
  ),
  accept: (id) => reply(200, { MessageId: id }),
  rows: [
    ['MessageRejected', refuse(400, 'MessageRejected'), rejected('content')],
    ['BadRequestException', refuse(400, 'BadRequestException'), rejected('content')],
    [
      'a MAIL FROM domain',
      refuse(400, 'MailFromDomainNotVerifiedException'),
      rejected('integration'),
    ],
    [
      'AccountSuspendedException',
      refuse(400, 'AccountSuspendedException'),
      rejected('integration'),
    ],
    ['SendingPausedException', refuse(400, 'SendingPausedException'), rejected('integration')],
    ['NotFoundException', refuse(404, 'NotFoundException'), rejected('integration')],
    [
      'LimitExceededException',
      refuse(400, 'LimitExceededException'),
      { outcome: 'retry', afterMs: 3_600_000 },
    ],
    [
      'the rate',
      refuse(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'),
      { outcome: 'retry', afterMs: 1_000, slows: 'integration' },
    ],
    [
      'the daily quota',
      refuse(429, 'TooManyRequestsException', 'Daily message quota exceeded.'),
      { outcome: 'retry', afterMs: 3_600_000, slows: 'integration' },
    ],
    [
      'ThrottlingException',
      refuse(400, 'ThrottlingException'),
      { outcome: 'retry', slows: 'integration' },
    ],
    ['an unknown key', refuse(403, 'UnrecognizedClientException'), rejected('integration')],
    ['a wrong secret', refuse(403, 'InvalidSignatureException'), rejected('integration')],
    [
      'a wrong clock',
      refuse(403, 'InvalidSignatureException', 'Signature expired: 20260101T000000Z'),
      { ...rejected('integration'), reason: 'wrong_clock' },
    ],
    ['AccessDeniedException', refuse(403, 'AccessDeniedException'), rejected('integration')],
    ['InternalFailure', refuse(500, 'InternalFailure'), { outcome: 'unknown' }],
  ],
};
