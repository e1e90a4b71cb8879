import { createSendgridSimulator, getSendgridWebhookKey } from '@belfry/testing';
import { credential, rejected } from '../../provider-subject.fixture';
import { type MailService, reply } from './mail-api.subject.fixture';
import { sendgrid } from './sendgrid';

const refuse = (status: number, message = 'Refused', field: string | null = null) =>
  reply(status, { errors: [{ message, field, help: null }] });

export const sendgridService: MailService = {
  name: 'sendgrid',
  provider: sendgrid,
  createSimulator: createSendgridSimulator,
  credentials: { api_key: credential, webhook_key: getSendgridWebhookKey() },
  refuse: (text) => refuse(401, `The provided authorization grant is invalid: ${text}`),
  refuseSender: refuse(
    403,
    'The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.',
    'from',
  ),
  accept: (id) => reply(202, '', { 'x-message-id': id }),
  rows: [
    [
      '400 of the sender',
      refuse(400, 'Does not contain a valid address.', 'from.email'),
      rejected('integration'),
    ],
    [
      '400 without a sender',
      refuse(400, 'The from object must be provided', 'from'),
      rejected('integration'),
    ],
    [
      '400 of the recipient',
      refuse(400, 'Does not contain a valid address.', 'personalizations.0.to.0.email'),
      rejected('recipient'),
    ],
    [
      '400 of a copy',
      refuse(400, 'Does not contain a valid address.', 'personalizations.0.cc.0.email'),
      rejected('content'),
    ],
    [
      '400 of the content',
      refuse(400, 'Must be at least one character.', 'content.0.value'),
      rejected('content'),
    ],
    ['401', refuse(401), { ...rejected('integration'), reason: 'wrong_key' }],
    [
      '401 without credits',
      refuse(401, 'Maximum credits exceeded'),
      { ...rejected('integration'), reason: 'no_credits' },
    ],
    ['403', refuse(403, 'access forbidden'), { ...rejected('integration'), reason: 'forbidden' }],
    ['413', refuse(413, 'Payload too large'), { ...rejected('content'), reason: 'too_large' }],
    [
      '429',
      refuse(429, 'too many requests'),
      { outcome: 'retry', afterMs: 10_000, slows: 'integration' },
    ],
    ['202 without an ID', reply(202, ''), { outcome: 'unknown' }],
  ],
};
