import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSmtpSimulator, createTcpProxy, type SmtpSimulatorOptions } from '@belfry/testing';
import type { SendCall } from '../channel';
import { smtp } from './smtp';
import type { EmailContent } from './template';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const plain: EmailContent = {
  subject: 'Subject',
  text: 'Text',
  cc: [],
  bcc: [],
  attachments: [],
  headers: {},
};

type Changes = Omit<Partial<SendCall<EmailContent>>, 'content'> & {
  content?: Partial<EmailContent>;
};

async function setUp(options: SmtpSimulatorOptions = {}, allowedPrivateHosts = ['127.0.0.1']) {
  const simulator = await createSmtpSimulator(options);
  const sender = smtp.createSender({ baseUrls: {}, allowedPrivateHosts });
  closers.push(simulator.close, sender.close);
  const settings = {
    host: '127.0.0.1',
    port: simulator.port,
    require_tls: false,
    from: { name: 'Belfry', address: 'noreply@example.com' },
  };
  const send = ({ content, settings: own, ...changes }: Changes = {}) =>
    sender.send({
      messageId: '0193-a',
      target: 'ada@example.org',
      settings: { ...settings, ...own },
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: {},
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...changes,
      content: { ...plain, ...content },
    });
  return { simulator, send };
}

describe('a mail over SMTP', () => {
  test('arrives with text, HTML and attachment byte for byte', async () => {
    const { simulator, send } = await setUp();
    const bytes = randomBytes(100_000);
    const html = `<p>${'Grüße 👋 R&amp;D &lt;b&gt; '.repeat(80)}</p>\n.\nline`;
    const text = `Grüße 👋 R&D <b>\n.\nFrom here`;
    await send({
      content: {
        subject:
          'Grüße 👋 R&D <b>, a rather long subject that has to be folded over several lines of the header',
        html,
        text,
        attachments: [{ fileName: 'Rechnung März.pdf', content: bytes.toString('base64') }],
      },
    });
    const { parsed } = simulator.sends[0]!;
    expect(parsed.subject).toBe(
      'Grüße 👋 R&D <b>, a rather long subject that has to be folded over several lines of the header',
    );
    expect(parsed.html).toBe(html);
    expect(parsed.text?.trimEnd()).toBe(text);
    expect(parsed.attachments).toHaveLength(1);
    expect(parsed.attachments[0]).toMatchObject({
      filename: 'Rechnung März.pdf',
      contentType: 'application/pdf',
    });
    expect(parsed.attachments[0]!.content.equals(bytes)).toBe(true);
  });

  test('has the addresses of its integration and its content, and a stable Message-ID', async () => {
    const { simulator, send } = await setUp();
    const content = {
      cc: ['cc@example.org', 'ada@example.org'],
      bcc: ['bcc@example.org'],
      replyTo: 'reply@example.org',
      from: { name: 'Ünë, "Team"' },
    };
    const [first, second] = [await send({ content }), await send({ content })];
    expect(second).toEqual({ ...first, response: expect.anything() });
    const { parsed, from, to, raw } = simulator.sends[0]!;
    expect(from).toBe('noreply@example.com');
    expect(to).toEqual(['ada@example.org', 'cc@example.org', 'bcc@example.org']);
    expect(parsed.from?.value).toEqual([{ name: 'Ünë, "Team"', address: 'noreply@example.com' }]);
    expect(parsed.replyTo?.value).toEqual([{ name: '', address: 'reply@example.org' }]);
    expect(raw.toString()).not.toContain('bcc@example.org');
    expect(simulator.sends.map(({ messageId }) => messageId)).toEqual([
      '<0193-a@example.com>',
      '<0193-a@example.com>',
    ]);
  });

  test('sets Reply-To from its content, else from its integration, else from its sender', async () => {
    const { simulator, send } = await setUp();
    const settings = { reply_to: 'shop@example.com' };
    await send({ settings, content: { replyTo: 'content@example.org' } });
    await send({ settings });
    await send();
    expect(simulator.sends.map(({ parsed }) => parsed.replyTo?.value[0]?.address)).toEqual([
      'content@example.org',
      'shop@example.com',
      undefined,
    ]);
  });

  test('keeps its allowed headers through folding', async () => {
    const { simulator, send } = await setUp();
    const url = `https://example.org/unsubscribe?token=${'a1'.repeat(100)}`;
    await send({
      content: {
        headers: {
          'List-Unsubscribe': `<${url}>, <mailto:u@example.org>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      },
    });
    const { parsed, raw } = simulator.sends[0]!;
    expect(parsed.headers.get('list')).toMatchObject({
      unsubscribe: { url, mail: 'u@example.org' },
    });
    expect(raw.toString()).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(raw.toString()).not.toMatch(/x-mailer/i);
  });

  test('signs in when credentials are set, and fails when the server accepts none', async () => {
    const { simulator, send } = await setUp({ login: { user: 'u', pass: 'correct horse' } });
    const credentials = { user: 'u', pass: 'correct horse' };
    expect((await send({ credentials })).outcome.outcome).toBe('accepted');
    expect(simulator.sends[0]?.user).toBe('u');
    const open = await setUp();
    expect((await open.send({ credentials })).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'integration',
    });
    expect(open.simulator.sends).toEqual([]);
  });

  test('is not sent without encryption when TLS is required', async () => {
    const { simulator, send } = await setUp();
    expect((await send({ settings: { require_tls: true } })).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'integration',
      reason: 'no_tls',
    });
    expect(simulator.sends).toEqual([]);
  });

  test('reuses the connection of the previous mail', async () => {
    const { simulator, send } = await setUp();
    await send();
    await send();
    expect(simulator.sends).toHaveLength(2);
    expect(simulator.connections()).toBe(1);
  });

  test('uses a new connection when the server closed the idle one', async () => {
    const { simulator, send } = await setUp();
    const proxy = await createTcpProxy(`tcp://127.0.0.1:${simulator.port}`);
    closers.push(proxy.close);
    const settings = { port: Number(new URL(proxy.url).port) };
    await send({ settings });
    proxy.cut();
    // Whether the next mail notices first is a race. It must not be lost, and not be sent twice.
    const { outcome } = await send({ settings });
    const { outcome: last } = outcome.outcome === 'retry' ? await send({ settings }) : { outcome };
    expect(last.outcome).toBe('accepted');
    expect(simulator.sends).toHaveLength(2);
    expect(simulator.connections()).toBe(2);
  });

  test('uses the new settings when their version changed', async () => {
    const [first, second] = [await setUp(), await setUp()];
    await first.send();
    await first.send({ integrationVersion: '2', settings: { port: second.simulator.port } });
    expect([first.simulator.sends.length, second.simulator.sends.length]).toEqual([1, 1]);
  });

  test('that waits for a connection past its deadline was certainly not sent', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ at: 'connect', hang: true });
    const startedAt = Date.now();
    const { outcome } = await send({ signal: AbortSignal.timeout(150) });
    expect(outcome).toMatchObject({ outcome: 'retry', reason: 'timeout' });
    expect(Date.now() - startedAt).toBeLessThan(3_000);
  });

  test('counts as accepted by its target, not by the copies', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ at: 'rcpt', reply: '550 5.1.1 No such user' });
    const own = await send({ content: { cc: ['cc@example.org'] } });
    expect(own.outcome).toMatchObject({ outcome: 'rejected', scope: 'recipient' });
    simulator.fail(
      { at: 'mail', slowMs: 1 },
      { at: 'rcpt', slowMs: 1 },
      { at: 'rcpt', reply: '550 5.1.1 No' },
    );
    const copy = await send({ content: { cc: ['cc@example.org'] } });
    expect(copy.outcome).toMatchObject({
      outcome: 'accepted',
      detail: 'Copies were refused: cc@example.org.',
    });
  });

  test('fails for its content when the server refuses the sender that the content names', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ at: 'mail', reply: '553 5.1.8 Not your address' });
    const { outcome } = await send({ content: { from: { address: 'own@example.net' } } });
    expect(outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'content',
      reason: 'sender_refused',
    });
  });

  test('never reaches a private address unless it is allowed', async () => {
    const { simulator, send } = await setUp({}, []);
    for (const host of ['127.0.0.1', 'localhost', '::1', '0x7f.1', '2130706433']) {
      expect(
        (await send({ settings: { host, port: 25 }, integrationVersion: host })).outcome,
      ).toMatchObject({
        outcome: 'rejected',
        scope: 'integration',
        reason: 'private_address',
      });
    }
    expect(simulator.connections()).toBe(0);
  });

  test('reaches only mail ports, unless its host is allowed', async () => {
    const { send } = await setUp({}, []);
    for (const port of [22, 443, 5432, 6379]) {
      const settings = { host: '1.1.1.1', port };
      const { outcome } = await send({ settings, integrationVersion: String(port) });
      expect(outcome).toMatchObject({ scope: 'integration', reason: 'port_not_allowed' });
    }
  });

  test.each([[{}], [{ host: 'smtp.example.org' }], [{ host: 'x', port: 25, from: {} }]])(
    'needs complete settings: %j',
    async (settings) => {
      const sender = smtp.createSender({ baseUrls: {}, allowedPrivateHosts: ['127.0.0.1'] });
      closers.push(sender.close);
      const { outcome } = await sender.send({
        messageId: 'm',
        target: 'a@example.org',
        content: plain,
        settings,
        integrationId: 'i',
        integrationVersion: '1',
        credentials: {},
        signal: AbortSignal.timeout(1_000),
        deadlineAt: 0,
      });
      expect(outcome).toMatchObject({ outcome: 'rejected', scope: 'integration' });
    },
  );
});

describe('a non-ASCII address', () => {
  test('has its domain in punycode, on the wire and in the headers', async () => {
    const { simulator, send } = await setUp();
    const settings = {
      from: { name: 'Belfry', address: 'noreply@exämple.org' },
      reply_to: 'shop@exämple.org',
    };
    await send({ settings, content: { cc: ['grå@xn--gr-zia.org'] } });
    expect(simulator.commands).toEqual([
      'MAIL FROM:<noreply@xn--exmple-cua.org> SMTPUTF8',
      'RCPT TO:<ada@example.org>',
      'RCPT TO:<grå@xn--gr-zia.org>',
    ]);
    const headers = simulator.sends[0]!.raw.toString();
    expect(headers).toContain('From: Belfry <noreply@xn--exmple-cua.org>\r\n');
    expect(headers).toContain('Cc: grå@xn--gr-zia.org\r\n');
    expect(headers).toContain('Reply-To: shop@xn--exmple-cua.org\r\n');
    expect(headers).toContain('Message-ID: <0193-a@xn--exmple-cua.org>\r\n');
  });

  test('needs no SMTPUTF8 when the server gets no non-ASCII local part', async () => {
    const { simulator, send } = await setUp({ offersUtf8: false });
    expect((await send({ content: { subject: 'Grüße' } })).outcome.outcome).toBe('accepted');
    expect(simulator.commands[0]).toBe('MAIL FROM:<noreply@example.com>');
  });

  test.each<[string, Changes, object]>([
    ['recipient', { target: 'grå@example.org' }, { scope: 'recipient', reason: 'no_smtputf8' }],
    ['copy', { content: { cc: ['grå@example.org'] } }, { scope: 'content', reason: 'no_smtputf8' }],
    [
      'hidden copy',
      { content: { bcc: ['grå@example.org'] } },
      { scope: 'content', reason: 'no_smtputf8' },
    ],
    [
      'sender of the content',
      { content: { from: { address: 'grå@example.org' } } },
      { scope: 'content', reason: 'sender_refused' },
    ],
    [
      'sender of the integration',
      { settings: { from: { address: 'grå@example.org' } } },
      { scope: 'integration', reason: 'sender_refused' },
    ],
  ])(
    'is sent to no server without SMTPUTF8 when its local part is non-ASCII: %s',
    async (_who, changes, expected) => {
      const { simulator, send } = await setUp({ offersUtf8: false });
      const result = await send(changes);
      expect(result.outcome).toEqual({
        outcome: 'rejected',
        ...expected,
        detail:
          '"grå@example.org" has non-ASCII letters before the @, and the mail server does not offer SMTPUTF8.',
      });
      expect(result).not.toHaveProperty('changes');
      expect([simulator.sends, simulator.commands]).toEqual([[], []]);
      // The connection serves the next mail.
      expect((await send()).outcome.outcome).toBe('accepted');
      expect(simulator.connections()).toBe(1);
    },
  );
});

describe('an attachment by URL', () => {
  async function serveFile(status: number, body: Buffer) {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(
      () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    );
    const { port } = server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/files/invoice%20May.pdf?signature=secret`;
  }

  test('is fetched when the mail is sent, and named by its path', async () => {
    const { simulator, send } = await setUp();
    const bytes = randomBytes(2_000);
    const url = await serveFile(200, bytes);
    await send({ content: { attachments: [{ fileName: undefined, url }] } });
    const [attachment] = simulator.sends[0]!.parsed.attachments;
    expect(attachment!.content.equals(bytes)).toBe(true);
    expect(attachment!.filename).toBe('invoice May.pdf');
  });

  test.each([
    [404, { outcome: 'rejected', scope: 'content', reason: 'attachment_refused' }],
    [302, { outcome: 'rejected', scope: 'content', reason: 'attachment_refused' }],
    [500, { outcome: 'retry', reason: 'attachment_unavailable' }],
  ])('that answers %i stops the mail', async (status, expected) => {
    const { simulator, send } = await setUp();
    const url = await serveFile(status, Buffer.alloc(0));
    const { outcome } = await send({ content: { attachments: [{ fileName: 'a', url }] } });
    expect(outcome).toMatchObject(expected);
    expect(outcome.detail).not.toContain('secret');
    expect(simulator.sends).toEqual([]);
  });
});

describe('the description of a mail', () => {
  test('shows what is sent, with the size of each attachment', () => {
    const content = { ...plain, attachments: [{ fileName: 'a.pdf', content: 'JVBERg==' }] };
    const settings = {
      ...{ host: 'smtp.example.org', port: 587 },
      ...{ from: { address: 'n@example.com' }, reply_to: 'r@example.com' },
    };
    expect(
      smtp.describe({ messageId: 'm', target: 'a@example.org', content, settings }),
    ).toMatchObject({
      operation: 'SMTP smtp.example.org:587',
      body: {
        message_id: 'm@example.com',
        from: { address: 'n@example.com' },
        to: 'a@example.org',
        reply_to: 'r@example.com',
        subject: 'Subject',
        attachments: [{ file_name: 'a.pdf', bytes: 4 }],
      },
    });
  });

  test('needs no settings, as in the sandbox', () => {
    const described = smtp.describe({
      messageId: 'm',
      target: 'a@b.org',
      content: plain,
      settings: {},
    });
    expect(described.operation).toBe('SMTP');
  });
});

describe('an SMTP integration', () => {
  const right = { host: 'smtp.example.org', port: 587, from: { address: 'n@example.com' } };

  test.each<[string, object, object, string[]]>([
    ['is right', {}, { user: 'u', pass: 'p' }, []],
    [
      'on port 465 needs TLS from the start',
      { port: 465 },
      {},
      ['secure must be on with port 465'],
    ],
    ['on port 587 starts without TLS', { secure: true }, {}, ['secure must be off with port 587']],
    [
      'needs a valid sender',
      { from: { address: 'a@b.org, c@d.org' } },
      {},
      ['from.address must have exactly one @'],
    ],
    ['needs a strict reply_to', { reply_to: 'x' }, {}, ['reply_to must have exactly one @']],
    [
      'needs a reply_to in ASCII',
      { reply_to: 'grå@example.org' },
      {},
      [
        'reply_to has non-ASCII letters before the @; only sender and recipient addresses may have them',
      ],
    ],
    [
      'needs user and password together',
      {},
      { user: 'u' },
      ['pass must be set if there is a user name'],
    ],
    ['needs a host name', { host: 'a b' }, {}, ['host must be a host name or an IP address']],
    ['needs its settings', { port: 'x' }, {}, ['settings are incomplete']],
  ])('%s', (_case, settings, credentials, problems) => {
    expect(
      smtp.check({ settings: { ...right, ...settings }, credentials: { ...credentials } }),
    ).toEqual(problems);
  });
});

describe('a mailbox that does not exist', () => {
  const bounced = [
    {
      change: 'suppress',
      reason: 'bounced',
      sender: '',
      detail: expect.stringMatching(/^127.0.0.1:\d+ replied 550. The mailbox does not exist.$/),
    },
  ];
  const noMailbox = '550 5.1.1 No such user';

  test.each([
    ['refused at RCPT', { at: 'rcpt', reply: noMailbox }, {}, bounced],
    ['refused with the mail', { at: 'end', reply: noMailbox }, {}, bounced],
    ['refused at RCPT, with a copy', { at: 'rcpt', reply: noMailbox }, copy(), bounced],
    ['refused with a mail that has a copy', { at: 'end', reply: noMailbox }, copy(), undefined],
    ['refused by policy', { at: 'rcpt', reply: '550 5.7.1 Policy' }, {}, undefined],
    ['full', { at: 'rcpt', reply: '552 5.2.2 Full' }, {}, undefined],
  ] as const)(
    'is suppressed only when the refusal names it: %s',
    async (_how, fault, content, changes) => {
      const { simulator, send } = await setUp();
      simulator.fail(fault);
      expect((await send({ content })).changes).toEqual(changes);
    },
  );

  function copy(): Partial<EmailContent> {
    return { cc: ['bob@example.org'] };
  }
});

describe('a mail of an integration with a bounce domain', () => {
  const settings = { bounce_domain: 'bounces.example.com' };
  const buildBounceAddress = ({ domain, hasCopies }: { domain: string; hasCopies: boolean }) =>
    `${hasCopies ? 'copies' : 'one'}@${domain}`;
  const messageId = '0198f3c2-7d41-7c3a-9b1e-2f4d5c6b7a80';

  test('has the bounce address as its envelope sender, and asks for notifications by message ID', async () => {
    const { simulator, send } = await setUp({ offersDsn: true });
    await send({ settings, buildBounceAddress, messageId });
    expect(simulator.commands).toEqual([
      `MAIL FROM:<one@bounces.example.com> RET=HDRS ENVID=${messageId}`,
      'RCPT TO:<ada@example.org> NOTIFY=FAILURE,DELAY',
    ]);
    expect(simulator.sends[0]?.parsed.from?.text).toBe('"Belfry" <noreply@example.com>');
  });

  test('asks for nothing that the server does not offer', async () => {
    const { simulator, send } = await setUp();
    await send({ settings, buildBounceAddress, content: { cc: ['cc@example.org'] } });
    expect(simulator.commands).toEqual([
      'MAIL FROM:<copies@bounces.example.com>',
      'RCPT TO:<ada@example.org>',
      'RCPT TO:<cc@example.org>',
    ]);
  });
});
