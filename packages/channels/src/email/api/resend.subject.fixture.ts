import { createResendSimulator, resendWebhookSecret } from '@belfry/testing';
import { credential, rejected } from '../../provider-subject.fixture';
import { type MailService, reply } from './mail-api.subject.fixture';
import { resend } from './resend';

const refuse = (statusCode: number, name: string, message = 'Refused', headers = {}) =>
  reply(statusCode, { statusCode, name, message }, headers);

export const resendService: MailService = {
  name: 'resend',
  provider: resend,
  createSimulator: createResendSimulator,
  credentials: { api_key: credential, webhook_secret: resendWebhookSecret },
  refuse: (text) => refuse(401, 'validation_error', `API key is invalid: ${text}`),
  refuseSender: refuse(422, 'invalid_from_address'),
  accept: (id) => reply(200, { id }),
  rows: [
    [
      '400 of a wrong key',
      refuse(400, 'validation_error', 'API key is invalid'),
      rejected('integration'),
    ],
    ['401 without a key', refuse(401, 'missing_api_key'), rejected('integration')],
    ['401 of a restricted key', refuse(401, 'restricted_api_key'), rejected('integration')],
    ['403 of an older wrong key', refuse(403, 'invalid_api_key'), rejected('integration')],
    [
      '403 of a domain',
      refuse(403, 'validation_error', 'The example.com domain is not verified.'),
      { ...rejected('integration'), reason: 'unverified_domain' },
    ],
    [
      '403 of a new account',
      refuse(
        403,
        'validation_error',
        'You can only send testing emails to your own email address.',
      ),
      { ...rejected('integration'), reason: 'unverified_domain' },
    ],
    ['403 without a user agent', reply(403, 'error code: 1010'), rejected('integration')],
    [
      '409 in progress',
      refuse(409, 'concurrent_idempotent_requests'),
      { outcome: 'retry', afterMs: 5_000 },
    ],
    [
      '409 of another content',
      refuse(409, 'invalid_idempotent_request'),
      { outcome: 'unknown', reason: 'reused_key' },
    ],
    ['422 of the sender', refuse(422, 'invalid_from_address'), rejected('integration')],
    [
      '422 of the sender’s form',
      refuse(422, 'validation_error', 'Invalid `from` field.'),
      rejected('integration'),
    ],
    [
      '422 of the recipient',
      refuse(422, 'validation_error', 'Invalid `to` field.'),
      rejected('recipient'),
    ],
    ['422 of a field', refuse(422, 'missing_required_field'), rejected('content')],
    ['422 of an attachment', refuse(422, 'invalid_attachment'), rejected('content')],
    [
      '429 of the rate',
      refuse(429, 'rate_limit_exceeded'),
      { outcome: 'retry', afterMs: 1_000, slows: 'integration' },
    ],
    [
      '429 of the rate with Retry-After',
      refuse(429, 'rate_limit_exceeded', 'Slow down', { 'retry-after': '3' }),
      { outcome: 'retry', afterMs: 3_000 },
    ],
    [
      '429 of the day',
      refuse(429, 'daily_quota_exceeded'),
      { outcome: 'retry', afterMs: 3_600_000 },
    ],
    ['429 of the month', refuse(429, 'monthly_quota_exceeded'), rejected('integration')],
    ['451', refuse(451, 'security_error'), rejected('content')],
    ['500', refuse(500, 'application_error'), { outcome: 'unknown' }],
  ],
};
