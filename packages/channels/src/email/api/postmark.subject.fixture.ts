import { createPostmarkSimulator, postmarkWebhook } from '@belfry/testing';
import { credential, rejected } from '../../provider-subject.fixture';
import { type MailService, reply } from './mail-api.subject.fixture';
import { postmark } from './postmark';

const refuse = (ErrorCode: number, Message = 'Refused', status = 422) =>
  reply(status, { ErrorCode, Message });

export const postmarkService: MailService = {
  name: 'postmark',
  provider: postmark,
  createSimulator: createPostmarkSimulator,
  credentials: { server_token: credential, ...postmarkWebhook },
  refuse: (text) => refuse(10, `No Account or Server API token: ${text}`, 401),
  refuseSender: refuse(400, 'The From address is not a Sender Signature on your account.'),
  accept: (id) => reply(200, { ErrorCode: 0, Message: 'OK', MessageID: id }),
  signsNoBody: true,
  rows: [
    ['401', refuse(10, 'The Server Token is not valid.', 401), rejected('integration')],
    ['100', refuse(100, 'Maintenance', 503), { outcome: 'retry', afterMs: 300_000 }],
    ['300 of the sender', refuse(300, "Invalid 'From' address: 'x'."), rejected('integration')],
    [
      '300 of the recipient',
      refuse(300, "Error parsing 'To': Illegal email address"),
      rejected('recipient'),
    ],
    ['300 of a field', refuse(300, 'Zero recipients specified'), rejected('content')],
    ['400', refuse(400), { ...rejected('integration'), reason: 'unknown_sender' }],
    ['401 as a code', refuse(401), rejected('integration')],
    ['402', refuse(402, 'Invalid JSON'), rejected('content')],
    ['405', refuse(405), rejected('integration')],
    ['406', refuse(406), { ...rejected('recipient'), reason: 'inactive_recipient' }],
    ['411', refuse(411), rejected('content')],
    ['412', refuse(412), rejected('integration')],
    ['413 as a code', refuse(413), rejected('integration')],
    ['413 as a status', reply(413, '<html>'), { ...rejected('content'), reason: 'too_large' }],
    [
      '429',
      refuse(429, 'Rate limit exceeded', 429),
      { outcome: 'retry', afterMs: 10_000, slows: 'integration' },
    ],
    ['1235', refuse(1235), rejected('integration')],
    ['another code', refuse(9999), rejected('content')],
    ['200 with an error', reply(200, { ErrorCode: 300, MessageID: 'x' }), { outcome: 'unknown' }],
    [
      '200 with the target refused',
      reply(200, {
        ErrorCode: 0,
        MessageID: 'x',
        Message:
          'Message OK, but will not deliver to these inactive addresses: Ada@example.org, b@x.org',
      }),
      { ...rejected('recipient'), reason: 'suppressed_there' },
    ],
  ],
};
