import { createSmtpSimulator, findClosedPort, type SmtpFault } from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected as rejectedFor,
  type Subject,
} from '../provider-subject.fixture';
import { smtp } from './smtp';
import type { EmailContent } from './template';

const smtpContent: EmailContent = {
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  cc: [],
  bcc: [],
  attachments: [],
  headers: {},
};

const rejected = (scope: Parameters<typeof rejectedFor>[0], reason: string) => ({
  ...rejectedFor(scope),
  reason,
});
const smtpReply = (at: SmtpFault['at'], reply: string): SmtpFault => ({ at, reply });

/** The contract suite's subject for SMTP. */
export const smtpSubject: Subject = {
  // The suite passes only the content defined here.
  provider: smtp as Provider<unknown>,
  id: /^0193-smtp@example\.com$/,
  async start() {
    const simulator = await createSmtpSimulator({ login: { user: 'belfry', pass: credential } });
    const sender = smtpSubject.provider.createSender(deps);
    closers.push(simulator.close, sender.close);
    const settings = {
      host: '127.0.0.1',
      port: simulator.port,
      require_tls: false,
      from: { name: 'Belfry', address: 'noreply@example.com' },
    };
    const call = {
      messageId: '0193-smtp',
      target: 'ada@example.org',
      content: smtpContent,
      settings,
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: { user: 'belfry', pass: credential },
    };
    return {
      sender,
      call,
      sends: () => simulator.sends,
      fail: (fault) => simulator.fail(fault as SmtpFault),
      async callTo(place) {
        const port = place === 'closed port' ? await findClosedPort() : await listenAndDrop();
        return {
          ...call,
          integrationVersion: place,
          settings: { ...settings, port, secure: place === 'no TLS' },
        };
      },
    };
  },
  faultsBefore: [
    { at: 'connect', drop: true },
    { at: 'auth', drop: true },
    { at: 'mail', drop: true },
    { at: 'rcpt', drop: true },
    { at: 'data', drop: true },
  ],
  faultsAfter: [{ at: 'end', drop: true }],
  hang: { at: 'end', hang: true },
  redirectTo: undefined,
  refusal: { at: 'auth', reply: `535 5.7.8 Not ${credential}` },
  echoes: [
    { at: 'rcpt', reply: `550 5.1.1 ${credential}` },
    { at: 'end', reply: `451 4.3.0 ${Buffer.from(credential).toString('base64')}` },
    { at: 'end', reply: `554 ${Buffer.from(`\0belfry\0${credential}`).toString('base64')}` },
  ],
  rows: [
    [
      'greeting 554',
      smtpReply('connect', '554 5.7.1 Go away'),
      { outcome: 'retry', reason: 'greeting_refused', afterMs: 3_600_000 },
    ],
    [
      'greeting 421',
      smtpReply('connect', '421 4.3.2 Too busy'),
      { outcome: 'retry', reason: 'too_many_connections' },
    ],
    [
      'AUTH 535 5.7.8',
      smtpReply('auth', '535 5.7.8 Wrong password'),
      rejected('integration', 'credentials_refused'),
    ],
    [
      'AUTH 534',
      smtpReply('auth', '534 5.7.9 Too weak'),
      rejected('integration', 'credentials_refused'),
    ],
    [
      'AUTH 454 4.7.0',
      smtpReply('auth', '454 4.7.0 Later'),
      { outcome: 'retry', reason: 'auth_unavailable' },
    ],
    [
      'MAIL 530 5.7.0',
      smtpReply('mail', '530 5.7.0 Must use STARTTLS'),
      rejected('integration', 'authentication_required'),
    ],
    [
      'MAIL 550 sender',
      smtpReply('mail', '550 5.1.8 Bad sender'),
      rejected('integration', 'sender_refused'),
    ],
    ['MAIL 451', smtpReply('mail', '451 4.3.0 Later'), { outcome: 'retry', reason: 'greylisted' }],
    [
      'MAIL 503',
      smtpReply('mail', '503 5.5.1 Bad sequence'),
      { outcome: 'retry', reason: 'bad_sequence' },
    ],
    [
      'RCPT 550 5.1.1',
      smtpReply('rcpt', '550 5.1.1 No such user'),
      rejected('recipient', 'no_such_mailbox'),
    ],
    [
      'RCPT 550 5.1.10',
      smtpReply('rcpt', '550 5.1.10 Null MX'),
      rejected('recipient', 'no_such_mailbox'),
    ],
    [
      'RCPT 551',
      smtpReply('rcpt', '551 User not local'),
      rejected('recipient', 'recipient_refused'),
    ],
    [
      'RCPT 553 5.1.3',
      smtpReply('rcpt', '553 5.1.3 Bad syntax'),
      rejected('recipient', 'no_such_mailbox'),
    ],
    [
      'RCPT 550 5.7.1',
      smtpReply('rcpt', '550 5.7.1 Blocked by policy'),
      rejected('content', 'policy'),
    ],
    [
      'RCPT 552 5.2.2',
      smtpReply('rcpt', '552 5.2.2 Mailbox full'),
      { outcome: 'retry', reason: 'mailbox_full', afterMs: 3_600_000 },
    ],
    [
      'RCPT 452 4.2.2',
      smtpReply('rcpt', '452 4.2.2 Mailbox full'),
      { outcome: 'retry', reason: 'mailbox_full', afterMs: 3_600_000 },
    ],
    [
      'RCPT 450',
      smtpReply('rcpt', '450 4.2.0 Greylisted'),
      { outcome: 'retry', reason: 'greylisted', afterMs: 300_000 },
    ],
    [
      'RCPT 451',
      smtpReply('rcpt', '451 4.7.1 Greylisted'),
      { outcome: 'retry', reason: 'greylisted', afterMs: 300_000 },
    ],
    [
      'RCPT 422',
      smtpReply('rcpt', '422 4.2.2 Greylisted'),
      { outcome: 'retry', reason: 'refused_for_now' },
    ],
    [
      'RCPT 421',
      smtpReply('rcpt', '421 4.7.0 Too many'),
      { outcome: 'retry', reason: 'too_many_connections' },
    ],
    [
      'RCPT 432',
      smtpReply('rcpt', '432 4.3.2 Too many'),
      { outcome: 'retry', reason: 'too_many_connections' },
    ],
    [
      '550 5.4.5',
      smtpReply('rcpt', '550 5.4.5 Daily limit'),
      { outcome: 'retry', reason: 'daily_limit', afterMs: 21_600_000 },
    ],
    [
      'daily quota',
      smtpReply('rcpt', '550 5.7.0 Daily sending quota exceeded'),
      { outcome: 'retry', reason: 'daily_limit', afterMs: 21_600_000 },
    ],
    ['end 554 5.7.1', smtpReply('end', '554 5.7.1 Spam'), rejected('content', 'policy')],
    ['end 554', smtpReply('end', '554 Spam'), rejected('content', 'policy')],
    [
      'end 552 5.2.2',
      smtpReply('end', '552 5.2.2 Mailbox full'),
      { outcome: 'retry', reason: 'mailbox_full', afterMs: 3_600_000 },
    ],
    ['end 552 5.3.4', smtpReply('end', '552 5.3.4 Too big'), rejected('content', 'too_large')],
    [
      'end 550 5.1.1',
      smtpReply('end', '550 5.1.1 No such user'),
      rejected('recipient', 'no_such_mailbox'),
    ],
    [
      'RCPT 552',
      smtpReply('rcpt', '552 Over quota'),
      { outcome: 'retry', reason: 'mailbox_full', afterMs: 3_600_000 },
    ],
    ['end 552', smtpReply('end', '552 Too much'), rejected('content', 'too_large')],
    ['end 550', smtpReply('end', '550 No'), rejected('content', 'mail_refused')],
    [
      'end 451',
      smtpReply('end', '451 4.3.0 Later'),
      { outcome: 'retry', reason: 'greylisted', afterMs: 300_000 },
    ],
    [
      'end 421',
      smtpReply('end', '421 4.3.0 Closing'),
      { outcome: 'retry', reason: 'too_many_connections' },
    ],
  ],
};
