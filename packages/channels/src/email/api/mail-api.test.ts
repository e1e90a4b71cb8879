import {
  createPostmarkSimulator,
  createResendSimulator,
  createSendgridSimulator,
  createSesSimulator,
  type HttpFault,
} from '@belfry/testing';
import type { SendCall } from '../../channel';
import { closers } from '../../provider-subject.fixture';
import type { EmailContent } from '../template';
import {
  createTestMessageId,
  type MailService,
  mailContent,
  mailSettings,
} from './mail-api.subject.fixture';
import { mailServices } from './mail-services.fixture';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const attached = Buffer.from('a file').toString('base64');

async function setUp(service: MailService) {
  const simulator = await service.createSimulator();
  const sender = service.provider.createSender({
    baseUrls: { [service.name]: simulator.url },
    allowedPrivateHosts: [],
  });
  closers.push(simulator.close, sender.close);
  const send = (
    content: Partial<EmailContent> = {},
    changes: Partial<SendCall<EmailContent>> = {},
  ) =>
    sender.send({
      messageId: createTestMessageId(),
      target: 'ada@example.org',
      content: { ...mailContent, ...content },
      settings: { ...mailSettings, ...service.settings },
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: service.credentials,
      signal: AbortSignal.timeout(10_000),
      deadlineAt: Date.now() + 10_000,
      ...changes,
    });
  return { simulator, sender, send };
}

describe.each(mailServices.map((service) => [service.name, service] as const))(
  'a mail by %s',
  (_name, service) => {
    test('arrives with every field, and with Belfry’s ID of the message', async () => {
      const { simulator, send } = await setUp(service);
      const messageId = createTestMessageId();
      const content: EmailContent = {
        subject: 'Grüße, "Ada" \u{1f44b}',
        html: '<p>Hello</p>',
        text: 'Hello\rthere\r\nAda',
        from: { name: 'Zoë "Z", Ltd. <x>' },
        replyTo: 'help@example.com',
        cc: ['cc@example.org', 'ADA@example.org'],
        bcc: ['bcc@example.org', 'cc@example.org'],
        attachments: [
          { fileName: 'Größe.txt', content: attached, contentType: 'text/plain' },
          { fileName: 'logo.png', content: attached, contentId: 'logo' },
        ],
        headers: { 'List-Unsubscribe': '<https://x.example/?u=1>', 'X-Entity-Ref-ID': 'Grüße' },
      };
      const { outcome, request } = await send(content, { messageId });
      expect(outcome).toMatchObject({ outcome: 'accepted' });
      const [sent] = simulator.sends;
      expect(sent?.messageId).toBe(messageId);
      expect(sent?.mail).toMatchObject({
        from: { name: 'Zoë "Z", Ltd. <x>', address: 'noreply@example.com' },
        to: ['ada@example.org'],
        cc: ['cc@example.org'],
        bcc: ['bcc@example.org'],
        replyTo: ['help@example.com'],
        subject: content.subject,
        html: '<p>Hello</p>',
        text: 'Hello\nthere\nAda',
        headers: { 'List-Unsubscribe': '<https://x.example/?u=1>' },
      });
      expect(
        sent?.mail.attachments
          .map(({ fileName, content: bytes }) => [fileName, String(bytes)])
          .sort(),
      ).toEqual([
        ['Größe.txt', 'a file'],
        ['logo.png', 'a file'],
      ]);
      const logo = sent?.mail.attachments.find(({ fileName }) => fileName === 'logo.png');
      expect(logo?.contentId).toContain('logo');
      expect(request).toMatchObject({
        operation: expect.stringMatching(/^POST https:\/\/\S+$/),
        body: { subject: content.subject, bcc: ['bcc@example.org'] },
      });
    });

    test('without HTML has only its text', async () => {
      const { simulator, send } = await setUp(service);
      await send({ ...mailContent, html: undefined } as never);
      expect(simulator.sends[0]?.mail).toMatchObject({ text: 'Hello', html: '' });
    });

    test.each<[string, Partial<EmailContent>, string, object]>([
      ['a recipient with letters outside of ASCII', {}, 'ådå@example.org', { scope: 'recipient' }],
      ['two dots in a row', {}, 'a..b@example.org', { scope: 'recipient' }],
      ['such a copy', { cc: ['å@example.org'] }, 'ada@example.org', { scope: 'content' }],
      [
        'such a sender',
        { from: { address: 'å@example.com' } },
        'ada@example.org',
        { scope: 'content', reason: 'sender_refused' },
      ],
    ])('to %s is refused before the call', async (_what, content, target, expected) => {
      const { simulator, send } = await setUp(service);
      const { outcome } = await send(content, { target });
      expect(outcome).toMatchObject({ outcome: 'rejected', ...expected });
      expect(simulator.requests).toEqual([]);
    });

    test('whose own sender the service refuses fails alone; the integration’s sender needs attention', async () => {
      const { simulator, send } = await setUp(service);
      simulator.fail(service.refuseSender, service.refuseSender);
      const own = await send({ from: { address: 'own@example.net' } });
      expect(own.outcome).toMatchObject({ outcome: 'rejected', scope: 'content' });
      const stored = await send();
      expect(stored.outcome).toMatchObject({ outcome: 'rejected', scope: 'integration' });
    });

    test('names the service, and shows no credential and no content of files, when described', async () => {
      const content = {
        ...mailContent,
        attachments: [{ fileName: 'a.txt', content: attached }],
      };
      const described = service.provider.describe({
        messageId: 'm1',
        target: 'ada@example.org',
        content,
        settings: { ...mailSettings, ...service.settings },
      });
      expect(described.operation).toMatch(/^POST https:\/\//);
      expect(JSON.stringify(described)).not.toContain(attached);
    });

    test('needs a whole integration', async () => {
      const { simulator, send, sender } = await setUp(service);
      const { outcome } = await send({}, { credentials: {} });
      expect(outcome).toMatchObject({ scope: 'integration', reason: 'incomplete_integration' });
      const signal = AbortSignal.timeout(5_000);
      const test = await sender.test({ settings: {}, credentials: {}, signal });
      expect(test.isWorking).toBe(false);
      expect(simulator.requests).toEqual([]);
    });

    test('can be sent by every integration that passes the check', () => {
      const { provider, credentials, settings = {} } = service;
      const whole = { ...mailSettings, ...settings };
      expect(provider.check({ settings: whole, credentials })).toEqual([]);
      const [key = ''] = Object.keys(credentials);
      const spaced = { ...credentials, [key]: 'a b' };
      expect(provider.check({ settings: whole, credentials: spaced })).toEqual([
        `${key} must not have spaces or line breaks`,
      ]);
      const from = { address: 'no address' };
      expect(provider.check({ settings: { ...whole, from }, credentials })).toHaveLength(1);
    });
  },
);

describe('the limits of a service', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `c${n}@example.org`);

  test.each([
    ['postmark', 50],
    ['resend', 50],
    ['ses', 50],
  ])('%s: a mail to more than %s recipients is not sent', async (name, recipients) => {
    const service = findService(name);
    const { simulator, send } = await setUp(service);
    const cc = many(Math.min(recipients, 50) - 1);
    const { outcome } = await send({ cc, bcc: ['one.more@example.org'] });
    expect(outcome).toMatchObject({ scope: 'content', reason: 'too_many_recipients' });
    expect(simulator.requests).toEqual([]);
    expect((await send({ cc })).outcome).toMatchObject({ outcome: 'accepted' });
  });
});

describe('Mailgun', () => {
  test.each([
    ['us', 'https://api.mailgun.net'],
    ['eu', 'https://api.eu.mailgun.net'],
    [undefined, 'https://api.mailgun.net'],
  ])('in the region %s is called at %s', (region, host) => {
    const { provider, credentials } = findService('mailgun');
    const settings = { ...mailSettings, domain: 'mg.example.com', ...(region ? { region } : {}) };
    expect(provider.check({ settings, credentials })).toEqual([]);
    const call = { messageId: 'm1', target: 'ada@example.org', content: mailContent, settings };
    expect(provider.describe(call).operation).toBe(`POST ${host}/v3/mg.example.com/messages.mime`);
  });

  test.each(['', 'example', 'a/b.example', '../x.example', 'mg.example.com?x', 'MG.example.com'])(
    'refuses the domain %j',
    (domain) => {
      const { provider, credentials } = findService('mailgun');
      const settings = { ...mailSettings, domain };
      expect(provider.check({ settings, credentials })).toEqual(['settings are incomplete']);
    },
  );

  test('that does not know the domain fails the test', async () => {
    const service = findService('mailgun');
    const { sender } = await setUp(service);
    const { credentials } = service;
    const signal = AbortSignal.timeout(5_000);
    const settings = { ...mailSettings, domain: 'mg.example.net' };
    const result = await sender.test({ settings, credentials, signal });
    expect(result).toEqual({ isWorking: false, detail: expect.stringContaining('no such domain') });
  });
});

describe('Postmark', () => {
  test('that accepts only a copy has refused the message; that refuses a copy has sent it', async () => {
    const { simulator, send } = await setUp(findService('postmark'));
    const answer = (address: string): HttpFault => ({
      reply: {
        body: {
          ErrorCode: 0,
          MessageID: 'x',
          Message: `Message OK, but will not deliver to these inactive addresses: ${address}`,
        },
      },
    });
    simulator.fail(answer('ADA@example.org'), answer('cc@example.org'));
    const cc = ['cc@example.org'];
    expect((await send({ cc })).outcome).toMatchObject({ outcome: 'rejected', scope: 'recipient' });
    expect((await send({ cc })).outcome).toMatchObject({
      outcome: 'accepted',
      detail: 'Copies were refused: cc@example.org.',
    });
  });

  test('with a token of a sandbox says that it delivers nothing', async () => {
    const service = findService('postmark');
    const { sender } = await setUp({
      ...service,
      createSimulator: () => createPostmarkSimulator({ isSandbox: true }),
    });
    const { credentials } = service;
    const signal = AbortSignal.timeout(5_000);
    const result = await sender.test({ settings: mailSettings, credentials, signal });
    expect(result).toEqual({
      isWorking: true,
      detail: expect.stringContaining('delivers nothing'),
    });
  });
});

describe('Amazon SES', () => {
  const service = () => findService('ses');

  test.each([
    ['sending is enabled', {}, { isWorking: true, detail: /sending is enabled/ }],
    [
      'the account is in the sandbox',
      { isInSandbox: true },
      { isWorking: true, detail: /sandbox/ },
    ],
    ['sending is paused', { isSendingEnabled: false }, { isWorking: false, detail: /paused/ }],
    ['the key is unknown', { accessKeyId: 'AKIA2' }, { isWorking: false, detail: /access key/ }],
    ['the secret is wrong', { secretAccessKey: 'x' }, { isWorking: false, detail: /secret/ }],
    ['the region is another', { region: 'us-east-1' }, { isWorking: false, detail: /secret/ }],
  ])('tests the key, and says that %s', async (_what, options, expected) => {
    const { settings = {}, credentials } = service();
    const secretAccessKey = credentials['secret_access_key'] ?? '';
    const { sender } = await setUp({
      ...service(),
      createSimulator: () => createSesSimulator({ secretAccessKey, ...options }),
    });
    const signal = AbortSignal.timeout(5_000);
    const whole = { ...mailSettings, ...settings };
    const result = await sender.test({ settings: whole, credentials, signal });
    expect(result.isWorking).toBe(expected.isWorking);
    expect(result.detail).toMatch(expected.detail);
  });

  test('is called in a region of the list, and in no other', () => {
    const { provider, credentials } = service();
    const settings = { ...mailSettings, region: 'us-gov-west-1' };
    const call = { messageId: 'm1', target: 'ada@example.org', content: mailContent, settings };
    expect(provider.describe(call).operation).toBe(
      'POST https://email.us-gov-west-1.amazonaws.com/v2/email/outbound-emails',
    );
    for (const region of ['mars-1', 'x.example/', '']) {
      const problems = provider.check({ settings: { ...mailSettings, region }, credentials });
      expect(problems).toEqual(['settings are incomplete']);
    }
  });
});

describe('SendGrid', () => {
  const service = () => findService('sendgrid');

  test.each([
    ['global', 'https://api.sendgrid.com'],
    ['eu', 'https://api.eu.sendgrid.com'],
    [undefined, 'https://api.sendgrid.com'],
  ])('in the region %s is called at %s', (region, host) => {
    const settings = { ...mailSettings, ...(region ? { region } : {}) };
    const { provider, credentials } = service();
    expect(provider.check({ settings, credentials })).toEqual([]);
    const call = { messageId: 'm1', target: 'ada@example.org', content: mailContent, settings };
    expect(provider.describe(call).operation).toBe(`POST ${host}/v3/mail/send`);
  });

  test('refuses another region, and a verification key that is none', () => {
    const { provider, credentials } = service();
    const settings = { ...mailSettings, region: 'https://x.example' };
    expect(provider.check({ settings, credentials })).toEqual(['settings are incomplete']);
    const wrong = { ...credentials, webhook_key: 'AAAA' };
    expect(provider.check({ settings: mailSettings, credentials: wrong })).toEqual([
      'webhook_key is not a public key of SendGrid',
    ]);
  });

  test('with a key that may not send fails the test', async () => {
    const { sender } = await setUp({
      ...service(),
      createSimulator: () => createSendgridSimulator({ scopes: ['alerts.read'] }),
    });
    const { credentials } = service();
    const signal = AbortSignal.timeout(5_000);
    const result = await sender.test({ settings: mailSettings, credentials, signal });
    expect(result).toEqual({ isWorking: false, detail: expect.stringContaining('Mail Send') });
  });
});

describe('Resend', () => {
  test('gets the message’s ID as idempotency key, so that a second attempt sends nothing', async () => {
    const { simulator, send } = await setUp(findService('resend'));
    const messageId = createTestMessageId();
    simulator.fail({ reset: 'after' });
    const first = await send({}, { messageId });
    const second = await send({}, { messageId });
    expect(first.outcome.outcome).toBe('unknown');
    expect(second.outcome.outcome).toBe('accepted');
    expect(simulator.sends).toHaveLength(1);
    expect(simulator.sends[0]?.headers['idempotency-key']).toBe(messageId);
    const changed = await send({ subject: 'Changed' }, { messageId });
    expect(changed.outcome).toMatchObject({ outcome: 'unknown', reason: 'reused_key' });
  });

  test.each([
    ['noreply@example.com', 'example.com is verified'],
    ['noreply@example.net', 'example.net is not a verified domain'],
  ])('tests the key, and says whether the domain of %s is verified', async (address, sentence) => {
    const service = findService('resend');
    const { sender } = await setUp(service);
    const { credentials } = service;
    const signal = AbortSignal.timeout(5_000);
    const result = await sender.test({ settings: { from: { address } }, credentials, signal });
    expect(result).toEqual({ isWorking: true, detail: expect.stringContaining(sentence) });
  });

  test('with a key that may only send passes the test', async () => {
    const service = findService('resend');
    const { sender } = await setUp({
      ...service,
      createSimulator: () => createResendSimulator({ isSendingOnly: true }),
    });
    const { credentials } = service;
    const signal = AbortSignal.timeout(5_000);
    const result = await sender.test({ settings: mailSettings, credentials, signal });
    expect(result).toMatchObject({ isWorking: true });
  });
});

function findService(name: string): MailService {
  const service = mailServices.find((each) => each.name === name);
  if (!service) throw new Error(`No service ${name}`);
  return service;
}
