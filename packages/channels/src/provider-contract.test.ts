import { inspect } from 'node:util';
import {
  createSlackSimulator,
  createSmtpSimulator,
  findClosedPort,
  type SlackFault,
  type SmtpFault,
} from '@belfry/testing';
import type { Provider, SendResult } from './channel';
import type { EmailContent } from './email/template';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
  type Stage,
  type Subject,
} from './provider-subject.fixture';
import { channels } from './registry';
import { slackCodes } from './slack/codes';
import type { SlackContent } from './slack/template';
import { twilioSmsSubject } from './sms/twilio.subject.fixture';
import { telegramSubject } from './telegram/telegram.subject.fixture';
import { metaSubject } from './whatsapp/meta.subject.fixture';
import { twilioWhatsappSubject } from './whatsapp/twilio.subject.fixture';

const deadlineMs = 5_000;

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

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

const smtpSubject: Subject = {
  provider: channels.email.providers['smtp'] as Provider<unknown>,
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

const slackContent: SlackContent = { text: 'Hello' };

const slackSubject: Subject = {
  provider: channels.slack.providers['slack'] as Provider<unknown>,
  id: /^C0123456789:\d+\.\d+$/,
  async start() {
    const simulator = await createSlackSimulator();
    const senderTo = (url: string) => {
      const sender = slackSubject.provider.createSender({ ...deps, baseUrls: { slack: url } });
      closers.push(sender.close);
      return sender;
    };
    closers.push(simulator.close);
    const call = {
      messageId: '0193-slack',
      target: 'C0123456789',
      content: slackContent,
      settings: {},
      integrationId: 'i2',
      integrationVersion: '1',
      credentials: { access_token: credential },
    };
    return {
      sender: senderTo(simulator.url),
      call,
      sends: () => simulator.sends,
      fail: (fault) => simulator.fail(fault as SlackFault),
      async callTo(place) {
        const isClosed = place === 'closed port';
        const port = isClosed ? await findClosedPort() : await listenAndDrop();
        const scheme = isClosed ? 'http' : 'https';
        return { ...call, sender: senderTo(`${scheme}://127.0.0.1:${port}/api/`) };
      },
    };
  },
  faultsBefore: [],
  faultsAfter: [{ reset: 'before' }, { reset: 'after' }, { truncated: true }],
  hang: { hang: true },
  refusal: { error: 'invalid_auth', with: { needed: credential } },
  echoes: [
    { error: 'missing_scope', with: { needed: credential, errors: [`Bearer ${credential}`] } },
    { error: 'invalid_arguments', with: { response_metadata: { messages: [credential] } } },
    { error: credential },
    { reply: { status: 500, body: credential } },
  ],
  rows: [
    ...Object.entries(slackCodes).map(([error, code]): Subject['rows'][number] => [
      error,
      { error },
      code.outcome === 'rejected' ? rejected(code.scope) : { outcome: code.outcome, reason: error },
    ]),
    ['an unlisted restriction', { error: 'restricted_action_new' }, rejected('recipient')],
    ['an unlisted metadata code', { error: 'invalid_metadata_new' }, rejected('content')],
    ['an unknown code', { error: 'something_new' }, rejected('content')],
    [
      '429 with Retry-After',
      { reply: { status: 429, headers: { 'retry-after': '7' }, body: '' } },
      { outcome: 'retry', afterMs: 7_000 },
    ],
    [
      '429 with half a second',
      { reply: { status: 429, headers: { 'retry-after': '0.5' }, body: '' } },
      { outcome: 'retry', afterMs: 1_000 },
    ],
    ['429 without Retry-After', { reply: { status: 429, body: '' } }, { outcome: 'retry' }],
    ['500', { reply: { status: 500, body: 'oops' } }, { outcome: 'unknown' }],
    ['502', { reply: { status: 502, body: '<html>' } }, { outcome: 'unknown' }],
    ['503', { reply: { status: 503, body: '' } }, { outcome: 'retry' }],
    ['504', { reply: { status: 504, body: '' } }, { outcome: 'unknown' }],
    ['HTML with status 200', { reply: { body: '<html>Hello</html>' } }, { outcome: 'unknown' }],
    ['a redirect', { redirectTo: 'http://127.0.0.1:1/' }, { outcome: 'retry' }],
  ],
};

const subjects: Record<string, Subject> = {
  'email/smtp': smtpSubject,
  'slack/slack': slackSubject,
  'sms/twilio': twilioSmsSubject,
  'whatsapp/meta': metaSubject,
  'telegram/telegram': telegramSubject,
  'whatsapp/twilio': twilioWhatsappSubject,
};

/** Nothing leaves the process, so there is no connection to break and no credential to leak. */
const withoutNetwork = ['in_app/inbox'];

test('every provider of the registry is under this contract', () => {
  const registered = Object.entries(channels).flatMap(([channel, { providers }]) =>
    Object.keys(providers).map((provider) => `${channel}/${provider}`),
  );
  expect([...Object.keys(subjects), ...withoutNetwork].sort()).toEqual(registered.sort());
});

describe.each(Object.entries(subjects))('%s', (_name, subject) => {
  test('sends once and reports the provider’s id', async () => {
    const stage = await subject.start();
    const { outcome } = await send(stage);
    expect(outcome).toMatchObject({
      outcome: 'accepted',
      providerMessageId: expect.stringMatching(subject.id),
    });
    expect(stage.sends()).toHaveLength(1);
  });

  test.each(subject.rows)(
    '%s is sorted by the table, with a sentence',
    async (_row, fault, expected) => {
      const stage = await subject.start();
      stage.fail(fault);
      const { outcome } = await send(stage);
      expect(outcome).toMatchObject({ ...expected, reason: expect.any(String) });
      expect(outcome.detail).toMatch(/^[A-Z].*\.$/);
      expect(stage.sends()).toEqual([]);
    },
  );

  test('a refused connection is certainly not sent', async () => {
    const stage = await subject.start();
    expect(await sendTo(stage, 'closed port')).toMatchObject({
      outcome: { outcome: 'retry', reason: 'connection_refused' },
    });
  });

  test('a connection that breaks before the request is written is certainly not sent', async () => {
    const stage = await subject.start();
    expect((await sendTo(stage, 'no TLS')).outcome.outcome).toBe('retry');
    for (const fault of subject.faultsBefore) {
      stage.fail(fault);
      expect((await send(stage)).outcome).toMatchObject({ outcome: 'retry' });
    }
    expect(stage.sends()).toEqual([]);
  });

  test('a connection that breaks after the request was written is unknown, and nothing is sent again', async () => {
    for (const fault of subject.faultsAfter) {
      const stage = await subject.start();
      stage.fail(fault);
      expect((await send(stage)).outcome.outcome).toBe('unknown');
      expect(stage.sends().length).toBeLessThanOrEqual(1);
    }
  });

  test('a provider that never answers costs no more than the deadline', async () => {
    const stage = await subject.start();
    stage.fail(subject.hang);
    const startedAt = Date.now();
    const { outcome } = await send(stage, { deadlineMs: 200 });
    expect(outcome).toMatchObject({ outcome: 'unknown', reason: 'timeout' });
    expect(Date.now() - startedAt).toBeLessThan(3_000);
  });

  test('a test of the connection sends nothing, and says in a sentence what the provider answered', async () => {
    const stage = await subject.start();
    const { settings, credentials } = stage.call;
    const ask = () =>
      stage.sender.test({ settings, credentials, signal: AbortSignal.timeout(deadlineMs) });
    const working = await ask();
    stage.fail(subject.refusal);
    const refused = await ask();
    expect([working.isWorking, refused.isWorking]).toEqual([true, false]);
    for (const { detail } of [working, refused]) {
      expect(detail).toMatch(/^[A-Z].*\.$/);
      expect(detail).not.toContain(credential);
    }
    expect(stage.sends()).toEqual([]);
  });

  test('a sender that failed works again at once', async () => {
    const stage = await subject.start();
    for (const fault of [...subject.faultsBefore, ...subject.faultsAfter]) {
      stage.fail(fault);
      await send(stage);
      expect((await send(stage)).outcome.outcome).toBe('accepted');
    }
  });

  test('the credential is in no result, description or output', async () => {
    const written = captureOutput();
    const stage = await subject.start();
    const seen: unknown[] = [subject.provider.describe(stage.call)];
    for (const [, fault] of subject.rows) {
      stage.fail(fault);
      seen.push(await send(stage));
    }
    for (const fault of [...subject.echoes, ...subject.faultsAfter]) {
      stage.fail(fault);
      seen.push(await send(stage));
    }
    seen.push(await send(stage), await sendTo(stage, 'closed port'));
    const everything = inspect(seen, { depth: null }) + JSON.stringify(seen) + written.stop();
    for (const text of [credential, `\0belfry\0${credential}`]) {
      expect(everything).not.toContain(text);
      expect(everything).not.toContain(Buffer.from(text).toString('base64').replace(/=+$/, ''));
    }
  });
});

async function send(
  { sender, call }: Pick<Stage, 'sender' | 'call'>,
  { deadlineMs: lengthMs = deadlineMs } = {},
): Promise<SendResult> {
  const signal = AbortSignal.timeout(lengthMs);
  return sender.send({ ...call, signal, deadlineAt: Date.now() + lengthMs });
}

async function sendTo(stage: Stage, place: 'closed port' | 'no TLS'): Promise<SendResult> {
  const { sender = stage.sender, ...call } = await stage.callTo(place);
  return send({ sender, call });
}

function captureOutput(): { stop(): string } {
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0),
  );
  return {
    stop() {
      for (const spy of spies) spy.mockRestore();
      return written.join('');
    },
  };
}
