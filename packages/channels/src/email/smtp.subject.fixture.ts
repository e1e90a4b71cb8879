import { createSmtpSimulator, findClosedPort, type SmtpFault } from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
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

const smtpReply = (at: SmtpFault['at'], reply: string): SmtpFault => ({ at, reply });

/** What the contract suite needs to know of mail servers. */
export const smtpSubject: Subject = {
  // The suite hands it only the content that is given here.
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
      { outcome: 'retry', afterMs: 3_600_000 },
    ],
    ['greeting 421', smtpReply('connect', '421 4.3.2 Too busy'), { outcome: 'retry' }],
    ['AUTH 535 5.7.8', smtpReply('auth', '535 5.7.8 Wrong password'), rejected('integration')],
    ['AUTH 534', smtpReply('auth', '534 5.7.9 Too weak'), rejected('integration')],
    ['AUTH 454 4.7.0', smtpReply('auth', '454 4.7.0 Later'), { outcome: 'retry' }],
    ['MAIL 530 5.7.0', smtpReply('mail', '530 5.7.0 Must use STARTTLS'), rejected('integration')],
    ['MAIL 550 sender', smtpReply('mail', '550 5.1.8 Bad sender'), rejected('integration')],
    ['MAIL 451', smtpReply('mail', '451 4.3.0 Later'), { outcome: 'retry' }],
    ['MAIL 503', smtpReply('mail', '503 5.5.1 Bad sequence'), { outcome: 'retry' }],
    ['RCPT 550 5.1.1', smtpReply('rcpt', '550 5.1.1 No such user'), rejected('recipient')],
    ['RCPT 550 5.1.10', smtpReply('rcpt', '550 5.1.10 Null MX'), rejected('recipient')],
    ['RCPT 551', smtpReply('rcpt', '551 User not local'), rejected('recipient')],
    ['RCPT 553 5.1.3', smtpReply('rcpt', '553 5.1.3 Bad syntax'), rejected('recipient')],
    ['RCPT 550 5.7.1', smtpReply('rcpt', '550 5.7.1 Blocked by policy'), rejected('content')],
    ['RCPT 552 5.2.2', smtpReply('rcpt', '552 5.2.2 Mailbox full'), { outcome: 'retry' }],
    ['RCPT 452 4.2.2', smtpReply('rcpt', '452 4.2.2 Mailbox full'), { outcome: 'retry' }],
    ['RCPT 450', smtpReply('rcpt', '450 4.2.0 Greylisted'), { outcome: 'retry', afterMs: 300_000 }],
    ['RCPT 451', smtpReply('rcpt', '451 4.7.1 Greylisted'), { outcome: 'retry', afterMs: 300_000 }],
    ['RCPT 422', smtpReply('rcpt', '422 4.2.2 Greylisted'), { outcome: 'retry' }],
    ['RCPT 421', smtpReply('rcpt', '421 4.7.0 Too many'), { outcome: 'retry' }],
    ['RCPT 432', smtpReply('rcpt', '432 4.3.2 Too many'), { outcome: 'retry' }],
    [
      '550 5.4.5',
      smtpReply('rcpt', '550 5.4.5 Daily limit'),
      { outcome: 'retry', afterMs: 21_600_000 },
    ],
    [
      'daily quota',
      smtpReply('rcpt', '550 5.7.0 Daily sending quota exceeded'),
      { outcome: 'retry' },
    ],
    ['end 554 5.7.1', smtpReply('end', '554 5.7.1 Spam'), rejected('content')],
    ['end 554', smtpReply('end', '554 Spam'), rejected('content')],
    ['end 552 5.2.2', smtpReply('end', '552 5.2.2 Mailbox full'), { outcome: 'retry' }],
    ['end 552 5.3.4', smtpReply('end', '552 5.3.4 Too big'), rejected('content')],
    ['end 550 5.1.1', smtpReply('end', '550 5.1.1 No such user'), rejected('recipient')],
    ['end 451', smtpReply('end', '451 4.3.0 Later'), { outcome: 'retry', afterMs: 300_000 }],
    ['end 421', smtpReply('end', '421 4.3.0 Closing'), { outcome: 'retry' }],
  ],
};
