import { createMailgunSimulator, mailgunWebhookKey } from '@belfry/testing';
import { credential, rejected } from '../../provider-subject.fixture';
import { type MailService, reply } from './mail-api.subject.fixture';
import { mailgun } from './mailgun';

const refuse = (status: number, message = 'Refused') => reply(status, { message });

export const mailgunService: MailService = {
  name: 'mailgun',
  provider: mailgun,
  createSimulator: createMailgunSimulator,
  settings: { domain: 'mg.example.com' },
  credentials: { api_key: credential, webhook_key: mailgunWebhookKey },
  refuse: (text) => reply(401, `Forbidden ${text}`),
  refuseSender: refuse(400, "'from' parameter is not a valid address. please check documentation"),
  accept: (id) => reply(200, { id, message: 'Queued. Thank you.' }),
  signsNoBody: true,
  rows: [
    [
      '400 of the recipient',
      refuse(400, "'to' parameter is not a valid address. please check documentation"),
      rejected('recipient'),
    ],
    ['400 of a parameter', refuse(400, 'to parameter is missing'), rejected('content')],
    [
      '400 of a sandbox',
      refuse(400, 'Sandbox subdomains are for test purposes only.'),
      { ...rejected('integration'), reason: 'sandbox_domain' },
    ],
    ['401', reply(401, 'Forbidden'), { ...rejected('integration'), reason: 'wrong_key' }],
    ['402', refuse(402, 'Request failed'), rejected('content')],
    ['403', refuse(403, 'Domain mg.example.com is not allowed to send'), rejected('integration')],
    [
      '404',
      refuse(404, 'Domain not found: x'),
      { ...rejected('integration'), reason: 'unknown_domain' },
    ],
    ['413', refuse(413), { ...rejected('content'), reason: 'too_large' }],
    [
      '429',
      refuse(429, 'Too many requests'),
      { outcome: 'retry', afterMs: 10_000, slows: 'integration' },
    ],
  ],
};
