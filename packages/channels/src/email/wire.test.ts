import { isFullRun, readRunSeed, type SmtpSend } from '@belfry/testing';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { closers } from '../provider-subject.fixture';
import { compileEmail } from './compose';
import { smtp } from './smtp';
import { smtpSubject } from './smtp.subject.fixture';
import { allowedHeaderNames, type EmailOverride, type EmailTemplate } from './template';

const seed = readRunSeed(20_261_129);
const runs = isFullRun() ? 500 : 60;
const deadlineMs = 10_000;

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Sent = { send: SmtpSend; described: Described; recorded: Described };
type Described = Record<string, unknown> & { headers: Record<string, string> };

/** Sends a template to a mail server. Returns what arrived, the dry run and the log. */
async function setUp() {
  const stage = await smtpSubject.start();
  return async function deliver(
    template: Partial<EmailTemplate>,
    override?: EmailOverride,
    data = {},
  ): Promise<Sent> {
    const { target } = stage.call;
    const composed = compileEmail({ subject: 'Hello', text: 'Hello', ...template }).compose({
      data,
      target,
      override,
      missing: 'empty',
      isSensitive: false,
    });
    if ('failed' in composed) throw new Error(composed.detail);
    const call = { ...stage.call, content: composed.content };
    const described = smtp.describe(call).body as Described;
    const signal = AbortSignal.timeout(deadlineMs);
    const result = await stage.sender.send({
      ...call,
      signal,
      deadlineAt: Date.now() + deadlineMs,
    });
    expect(result.outcome).toMatchObject({ outcome: 'accepted' });
    const send = stage.sends().at(-1) as SmtpSend;
    return { send, described, recorded: result.request?.body as Described };
  };
}

/** The header lines in the bytes of a mail, as written. */
function readHeaderLines(raw: Buffer): string[] {
  return raw.toString('utf8', 0, raw.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/);
}

/** One header as received, unfolded. */
function readLine({ raw }: SmtpSend, name: string): string | undefined {
  const line = readHeaderLines(raw).find(
    (each) => each.startsWith(`${name}: `) || each.startsWith(`${name}:\r\n`),
  );
  return line
    ?.slice(name.length + 1)
    .replaceAll('\r\n', '')
    .trimStart();
}

describe('a header that a template may set', () => {
  const values: Record<(typeof allowedHeaderNames)[number], string> = {
    'List-Unsubscribe': '<https://shop.example/u?t={{id}}>, <mailto:u@shop.example>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'List-Id': 'Orders of the shop <orders.shop.example>',
    'Auto-Submitted': 'auto-generated',
    Precedence: 'bulk',
    'Feedback-ID': 'orders:{{id}}:shop',
    'Message-ID': '<order-{{id}}@shop.example>',
    'In-Reply-To': '<first-{{id}}@shop.example>',
    References: `<first-{{id}}@shop.example> ${'<next.{{id}}@shop.example> '.repeat(12).trim()}`,
    'X-Entity-Ref-ID': 'order/{{id}}',
  };

  test.each(allowedHeaderNames)(
    'arrives, is logged and appears in a dry run as set: %s',
    async (name) => {
      const deliver = await setUp();
      const data = { id: '0193-é' };
      const { send, described, recorded } = await deliver(
        { headers: { [name]: values[name] } },
        undefined,
        data,
      );
      // Between < and > a value is percent-encoded; elsewhere encoded words are decoded.
      const inAngle = values[name].includes('<');
      const expected = values[name].replaceAll('{{id}}', inAngle ? '0193-%C3%A9' : '0193-é');
      expect(PostalMime.decodeWords(readLine(send, name) ?? '')).toBe(expected);
      expect(described.headers[name]).toBe(expected);
      expect(recorded.headers[name]).toBe(expected);
    },
  );

  test('is sent once, with the others', async () => {
    const deliver = await setUp();
    const { send, described, recorded } = await deliver({ headers: values }, undefined, { id: 7 });
    const expected = Object.fromEntries(
      allowedHeaderNames.map((name) => [name, values[name].replaceAll('{{id}}', '7')]),
    );
    expect(
      Object.fromEntries(allowedHeaderNames.map((name) => [name, readLine(send, name)])),
    ).toEqual(expected);
    expect(described.headers).toEqual(expected);
    expect(recorded).toEqual(described);
    const names = readHeaderLines(send.raw).map((line) => line.split(':')[0]);
    expect(names).toHaveLength(new Set(names).size);
    expect(recorded).toMatchObject({ message_id: 'order-7@shop.example' });
  });
});

describe('the log and the dry run', () => {
  test('show the addresses and the subject that arrived', async () => {
    const deliver = await setUp();
    const template: Partial<EmailTemplate> = {
      subject: 'Grüße 👋 an {{name}}',
      from: { name: 'Ünë, "Team" {{name}}', address: 'team@exämple.org' },
      reply_to: '.reply.@exämple.org',
      cc: ['a..b@exämple.org', 'Cc@example.org'],
    };
    const { send, described, recorded } = await deliver(template, undefined, { name: 'Ana  B' });
    const { from, cc, replyTo, subject } = await PostalMime.parse(send.raw);
    expect(recorded).toEqual(described);
    expect(recorded).toMatchObject({
      from,
      cc: cc?.map(({ address }) => address),
      reply_to: replyTo?.[0]?.address,
      subject,
    });
    expect(recorded).toMatchObject({
      from: { name: 'Ünë, "Team" Ana  B', address: 'team@xn--exmple-cua.org' },
      cc: ['a..b@xn--exmple-cua.org', 'Cc@example.org'],
      reply_to: '.reply.@xn--exmple-cua.org',
      subject: 'Grüße 👋 an Ana  B',
    });
  });
});

describe('a mail has lines of at most 998 octets, and headers folded at 78', () => {
  const word = fc.oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.string({ minLength: 70, maxLength: 1_200, unit: fc.constantFrom('a', 'B', '7', '-') }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('=?utf-8?q?x?=', '"', '\\', "o'n", ';', '  ', 'é', '👋🏽', '%41', '()', 'a=b'),
  );
  const text = fc
    .array(word, { minLength: 1, maxLength: 12 })
    .map((words) => words.join(' ').toWellFormed());

  test(`whatever the subject, the names and the texts are (seed ${seed})`, async () => {
    const deliver = await setUp();
    await fc.assert(
      fc.asyncProperty(text, text, text, async (subject, name, body) => {
        const fileWord = name.replaceAll('=?', '= ?');
        const { send } = await deliver(
          {
            subject: 'S {{subject}}',
            from: { name: 'F {{name}}' },
            cc: Array.from({ length: 20 }, (_, index) => `somebody.${index}@example.org`),
            html: '<p title="{{body}}">{{body}}</p>',
            text: 'B {{body}}\n',
            attachments: [{ file_name: 'f {{file}}.pdf', content: 'JVBERg==' }],
            headers: { 'List-Id': '{{id}} <list.example.org>' },
          },
          undefined,
          { subject, name, file: fileWord, body, id: 'Ünë '.repeat(60) },
        );
        expectShortLines(send);
        const normalize = (value: string) => toOneLine(value);
        const [first, second] = [send.parsed, await PostalMime.parse(send.raw)];
        expect([first.subject, second.subject]).toEqual(twice(normalize(`S ${subject}`)));
        const sender = normalize(`F ${name}`).replaceAll('=?', '= ?');
        expect([first.from?.value[0]?.name, second.from?.name]).toEqual(twice(sender));
        // One of the parsers decodes encoded words in any file name.
        const file = fileName(`f ${fileWord}.pdf`);
        expect([first.attachments[0]?.filename, second.attachments[0]?.filename]).toEqual(
          twice(file),
        );
        expect(first.cc).toMatchObject({ value: { length: 20 } });
        expect(second.cc).toHaveLength(20);
      }),
      { seed, numRuns: runs },
    );
  });

  test('with a URL that cannot be folded on a line of its own', async () => {
    const deliver = await setUp();
    const url = `https://shop.example/${'a'.repeat(900)}`;
    const { send } = await deliver({
      headers: { 'List-Unsubscribe': `<${url}>, <mailto:u@shop.example>` },
    });
    expect(readLine(send, 'List-Unsubscribe')).toBe(`<${url}>, <mailto:u@shop.example>`);
    expect(send.raw.toString()).toContain(
      `List-Unsubscribe:\r\n <${url}>,\r\n <mailto:u@shop.example>\r\n`,
    );
  });

  test.each(allowedHeaderNames)(
    'and a header that cannot be folded is refused by name: %s',
    (name) => {
      const long = `<${'a'.repeat(600)}${'b'.repeat(400)}@shop.example>`;
      const problem = new RegExp(`headers\\.${name} has 1015 octets without a space`);
      expect(() => compileEmail({ subject: 'S', headers: { [name]: long } })).toThrow(problem);
      expect(() => compileEmail({ subject: 'S', headers: { [name]: `{{a}} ${long}` } })).toThrow(
        problem,
      );
      const template = compileEmail({
        subject: 'S',
        text: 'T',
        headers: { [name]: '<{{a}}@shop.example>' },
      });
      const data = { a: `${'a'.repeat(600)}${'b'.repeat(400)}` };
      const composed = template.compose({
        data,
        target: 'a@example.org',
        override: undefined,
        missing: 'empty',
        isSensitive: false,
      });
      expect(composed).toEqual({
        failed: 'rejected_content',
        detail: expect.stringMatching(problem),
      });
    },
  );
});

describe('a mailbox in several spellings', () => {
  test('is one recipient, in the first of To, Cc and Bcc that names it', async () => {
    const deliver = await setUp();
    const { send, described, recorded } = await deliver({
      cc: ['Ada@Example.org', 'Bo@example.org', 'bo@EXAMPLE.org', 'GRÅ@example.org'],
      bcc: [
        'ADA@example.org',
        'BO@example.org',
        'grå@example.org',
        'Cy@example.org',
        'cy@example.org',
      ],
    });
    expect(send.to).toEqual([
      'ada@example.org',
      'Bo@example.org',
      'GRÅ@example.org',
      'Cy@example.org',
    ]);
    const { to, cc, bcc } = await PostalMime.parse(send.raw);
    const addresses = [to, cc, bcc].map((list) => list?.map(({ address }) => address));
    expect(addresses).toEqual([
      ['ada@example.org'],
      ['Bo@example.org', 'GRÅ@example.org'],
      undefined,
    ]);
    expect(send.raw.toString()).not.toMatch(/cy@/i);
    expect(described).toMatchObject({
      cc: ['Bo@example.org', 'GRÅ@example.org'],
      bcc: ['Cy@example.org'],
    });
    expect(recorded).toEqual(described);
  });

  test('is one recipient in a call too, as written first', async () => {
    const deliver = await setUp();
    const override = {
      cc: ['Bo@example.org', { address: 'bo@example.org' }],
      bcc: ['bO@example.org'],
    };
    const { send } = await deliver({}, override);
    expect(send.to).toEqual(['ada@example.org', 'Bo@example.org']);
  });
});

describe('two parsers read a file back', () => {
  const content = Buffer.from('a file\n').toString('base64');
  const names = [
    'invoice.pdf',
    'Rechnung März 2026.pdf',
    '👋🏽 façade – “quoted”.pdf',
    `${'long '.repeat(45)}.pdf`,
    `${'x'.repeat(240)}.pdf`,
    `${'é'.repeat(240)}.pdf`,
    'it\'s; 100% "sure" = (yes), <no>.pdf',
    'a%20b*c.pdf',
    '日本語のファイル名.pdf',
    '  -leading.pdf',
    'a  b.pdf',
    'no extension',
  ];

  test.each(names)('by its name: %j', async (name) => {
    const deliver = await setUp();
    const { send } = await deliver({}, { attachments: [{ file_name: name, content }] });
    const second = await PostalMime.parse(send.raw);
    const expected = fileName(name);
    expect([send.parsed.attachments[0]?.filename, second.attachments[0]?.filename]).toEqual(
      twice(expected),
    );
    // Programs without RFC 2231 support read the parameter `name`.
    const [, nameParameter = ''] =
      /; name="((?:[^"\\]|\\.)*)"/s.exec(send.raw.toString().replaceAll('\r\n', '')) ?? [];
    expect(PostalMime.decodeWords(nameParameter.replace(/\\(.)/g, '$1'))).toBe(expected);
    expectShortLines(send);
  });

  test('as a picture by its content ID, next to the HTML', async () => {
    const deliver = await setUp();
    const html = '<p>Hello <img src="cid:logo@shop" alt="Shop"></p>';
    const attachments = [
      {
        file_name: 'logo.png',
        content: '{{logo}}',
        content_type: 'image/{{kind}}',
        content_id: 'cid:{{id}}',
      },
      { file_name: 'terms.pdf', content: '{{logo}}' },
    ];
    const data = { logo: content, kind: 'png', id: 'logo@shop' };
    const { send, recorded } = await deliver({ html, attachments }, undefined, data);
    const second = await PostalMime.parse(send.raw);
    expect(second.attachments).toMatchObject([
      {
        filename: 'logo.png',
        mimeType: 'image/png',
        disposition: 'inline',
        contentId: '<logo@shop>',
        related: true,
      },
      { filename: 'terms.pdf', mimeType: 'application/pdf', disposition: 'attachment' },
    ]);
    expect(send.parsed.attachments).toMatchObject([
      {
        filename: 'logo.png',
        contentType: 'image/png',
        contentDisposition: 'inline',
        cid: 'logo@shop',
        related: true,
      },
      { filename: 'terms.pdf', contentType: 'application/pdf', contentDisposition: 'attachment' },
    ]);
    expect(send.parsed.html).toContain(`src="data:image/png;base64,${content}"`);
    expect(listTypes(send)).toEqual([
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'multipart/related',
      'text/html',
      'image/png',
      'application/pdf',
    ]);
    expect(recorded['attachments']).toEqual([
      { file_name: 'logo.png', content_type: 'image/png', content_id: 'logo@shop', bytes: 7 },
      { file_name: 'terms.pdf', bytes: 7 },
    ]);
  });

  test('as an invitation with its method: an alternative of the text when inline, else a file', async () => {
    const deliver = await setUp();
    const calendar = Buffer.from('BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n').toString(
      'base64',
    );
    const invitation = {
      file_name: 'invite.ics',
      content: calendar,
      content_type: 'text/calendar; method=REQUEST; charset=utf-8',
    };
    const inline = await deliver(
      { html: '<p>Come</p>' },
      { attachments: [{ ...invitation, disposition: 'inline' }] },
    );
    expect(listTypes(inline.send)).toEqual([
      'multipart/alternative',
      'text/plain',
      'text/html',
      'text/calendar',
    ]);
    const file = await deliver({ html: '<p>Come</p>' }, { attachments: [invitation] });
    expect(listTypes(file.send)).toEqual([
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'text/html',
      'text/calendar',
    ]);
    for (const { send } of [inline, file]) {
      expect(send.raw.toString().replace(/\r\n\s+/g, ' ')).toContain(
        'Content-Type: text/calendar; method=REQUEST; charset=utf-8; name="invite.ics"',
      );
      const { attachments } = await PostalMime.parse(send.raw);
      expect(attachments).toMatchObject([
        { filename: 'invite.ics', mimeType: 'text/calendar', method: 'REQUEST' },
      ]);
      expect(send.parsed.attachments[0]?.content.toString('base64')).toBe(calendar);
    }
  });

  test.each([
    [
      'a message of short ASCII lines',
      'message/rfc822',
      'Subject: a\r\n\r\nHello\r\n',
      'message/rfc822',
    ],
    [
      'a message with non-ASCII text, as bytes',
      'message/rfc822',
      'Subject: é\r\n\r\nHello\r\n',
      'application/octet-stream',
    ],
    [
      'a message whose longest line has 998 octets',
      'message/rfc822',
      `Subject: a\r\n\r\n${'b'.repeat(998)}\r\n`,
      'message/rfc822',
    ],
    [
      'a message of long lines, as bytes',
      'message/rfc822',
      `Subject: ${'a'.repeat(1_000)}\r\n\r\nHello\r\n`,
      'application/octet-stream',
    ],
    [
      'any type of a single file',
      'application/vnd.shop+json; version="1 a"',
      '{}',
      'application/vnd.shop+json',
    ],
  ])('%s', async (_what, type, text, arrives) => {
    const deliver = await setUp();
    const attachment = {
      file_name: 'mail',
      content: Buffer.from(text).toString('base64'),
      content_type: type,
    };
    const { send } = await deliver({}, { attachments: [attachment] });
    const [first] = send.parsed.attachments;
    const {
      attachments: [second],
    } = await PostalMime.parse(send.raw, { rfc822Attachments: true });
    expect([first?.contentType, second?.mimeType]).toEqual(twice(arrives));
    expect(first?.content.toString()).toBe(text);
    expect(first?.contentDisposition).toBe('attachment');
    expectShortLines(send);
  });

  test.each([
    ['content_type', 'pdf', 'must be a media type'],
    ['content_type', 'text/plain\r\nBcc: eve@example.org', 'must be a media type'],
    ['content_type', 'text/plain; name="x"', 'must be a media type'],
    ['content_type', 'multipart/mixed', 'must be the type of a single file'],
    ['content_type', `text/${'x'.repeat(300)}`, 'has more than 255 characters'],
    ['content_id', 'a b', 'must have no space'],
    ['content_id', 'a>\r\nBcc: eve@example.org', 'must have no space'],
    ['content_id', 'é', 'must have no space'],
  ])('and a %s such as %j is refused, on publish when it is literal', (member, value, problem) => {
    const attachment = { file_name: 'a', content: '{{a}}' };
    const literal = { subject: 'S', attachments: [{ ...attachment, [member]: value }] };
    expect(() => compileEmail(literal)).toThrow(`attachments[0].${member} ${problem}`);
    const template = compileEmail({
      subject: 'S',
      text: 'T',
      attachments: [{ ...attachment, [member]: '{{v}}' }],
    });
    const inCall = { attachments: { file_name: 'a', content, [member]: value } };
    for (const override of [undefined, inCall]) {
      const input = {
        data: { a: content, v: value },
        target: 'a@example.org',
        override,
        missing: 'empty' as const,
        isSensitive: false,
      };
      expect(template.compose(input)).toEqual({
        failed: 'rejected_content',
        detail: expect.stringContaining(`attachments[0].${member} ${problem}`),
      });
    }
  });

  /** The content types of all parts, in order. */
  function listTypes({ raw }: SmtpSend): string[] {
    return [...raw.toString('latin1').matchAll(/^Content-Type: ([^;\r]+)/gm)].map(
      ([, type = '']) => type,
    );
  }
});

function twice(value: string): [string, string] {
  return [value, value];
}

function toOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
}

function fileName(text: string): string {
  return (text.split(/[/\\]/).at(-1) ?? '')
    .replace(/\p{C}/gu, '')
    .trim()
    .slice(0, 255)
    .toWellFormed();
}

function expectShortLines({ raw }: SmtpSend): void {
  const lines = raw.toString('latin1').split('\r\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
  expect(raw.toString('latin1')).not.toMatch(/[^\r]\n|\r[^\n]/);
  const headers = readHeaderLines(raw).flatMap((header) => header.split('\r\n'));
  const parts = raw.toString('latin1').match(/^Content-[^\r]*(\r\n[ \t][^\r]*)*/gm) ?? [];
  const all = [...headers, ...parts.flatMap((header) => header.split('\r\n'))];
  expect(all.filter((line) => line.length > 78)).toEqual([]);
}
