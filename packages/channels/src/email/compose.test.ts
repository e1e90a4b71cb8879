import type { Data } from '@belfry/shared';
import type { MailingList } from '../channel';
import { maxMailBytes } from './attachments';
import { compileEmail } from './compose';
import type { EmailContent, EmailOverride, EmailTemplate } from './template';

function compose(
  template: Partial<EmailTemplate>,
  data: Data = {},
  {
    override,
    missing = 'empty',
    list,
  }: { override?: EmailOverride; missing?: 'empty' | 'reject'; list?: MailingList } = {},
) {
  const compiled = compileEmail({ subject: 'Subject', text: 'Text', ...template });
  return compiled.compose({
    data,
    target: 'ada@example.org',
    override,
    missing,
    isSensitive: false,
    ...(list && { list }),
  });
}

function getContent(...input: Parameters<typeof compose>) {
  const composed = compose(...input);
  if ('failed' in composed) throw new Error(`${composed.failed}: ${composed.detail}`);
  return composed.content;
}

const base64 = Buffer.from('%PDF').toString('base64');

describe('the bodies of a mail', () => {
  test('are rendered from the same data, each with the escaping of its context', () => {
    const content = getContent(
      { subject: '{{a}}', html: '<p>{{a}}</p>', text: '{{a}}' },
      { a: `R&D <b> {{x}} 'q'` },
    );
    expect(content).toMatchObject({
      subject: `R&D <b> {{x}} 'q'`,
      html: '<p>R&amp;D &lt;b&gt; {{x}} &#39;q&#39;</p>',
      text: `R&D <b> {{x}} 'q'`,
    });
  });

  test.each([
    ['Hi\r\nBcc: eve@evil.org', 'Hi Bcc: eve@evil.org'],
    ['Hi\n\tthere', 'Hi there'],
    ['Hi\u2028there\u0000', 'Hi there'],
  ])('the subject %j becomes one line', (value, subject) => {
    expect(getContent({ subject: '{{v}}' }, { v: value }).subject).toBe(subject);
  });

  test('the text is derived from the HTML when there is none', () => {
    const { text } = getContent(
      {
        html: '<style>p {}</style><h1>Hello {{name}}</h1><p>Read <a href="https://x.org/?a=1&amp;b=2">this</a>.</p><img src="https://x.org/i.png" alt="A bell"><ul><li>One</li></ul>',
        text: '',
      },
      { name: 'R&D <b>' },
    );
    expect(text).toContain('Hello R&D <b>');
    expect(text).toContain('this [https://x.org/?a=1&b=2]');
    expect(text).toContain('A bell');
    expect(text).toContain('* One');
    expect(text).not.toMatch(/&amp;|<p>|p \{\}|i\.png/);
  });

  test('deriving the text of deeply nested HTML ends', () => {
    const startedAt = performance.now();
    compose({}, {}, { override: { message: { html_body: '<b>'.repeat(85_000) } } });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test('a mail with only images is not empty', () => {
    expect(getContent({ html: '<img src="https://x.org/i.png">', text: '' })).not.toHaveProperty(
      'text',
    );
  });

  test.each([
    [{ html: '<p>{{v}}</p>', text: '' }],
    [{ html: '  ', text: ' \n' }],
    [{ subject: '{{v}}' }],
    [{ text: '{{v}}' }],
  ])('a mail with an empty part fails: %j', (template) => {
    expect(compose(template)).toMatchObject({ failed: 'empty_content' });
  });

  test('missing data is noted, and fails the mail when the version requires it', () => {
    const template = { subject: 'Hi {{a.b}}', text: 'x{{c}}' };
    expect(compose(template)).toMatchObject({ missing: ['a.b', 'c'] });
    expect(compose(template, {}, { missing: 'reject' })).toEqual({
      failed: 'missing_data',
      detail: 'Missing data: a.b, c.',
    });
  });

  test('a text over 256 KB is too long, whether rendered or from the call', () => {
    const long = 'x'.repeat(256 * 1024 + 1);
    expect(compose({ text: '{{v}}' }, { v: long })).toMatchObject({
      failed: 'too_long',
      detail: expect.stringMatching(/^text: .*262144/),
    });
    expect(compose({}, {}, { override: { message: { text: long } } })).toMatchObject({
      failed: 'too_long',
    });
  });

  test('a template error names its field, line and column', () => {
    expect(() => compose({ html: '<p>\n<a href={{v}}>' })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^html: /), line: 2, column: 9 }),
    );
    expect(() => compose({ reply_to: '{{#if}}' })).toThrow(/^reply_to: /);
  });

  test('the paths of all fields are listed once', () => {
    const { paths } = compileEmail({
      subject: '{{a}}',
      html: '{{b}} {{a}}',
      cc: ['{{c}}'],
      attachments: [{ file_name: '{{d}}', content: '{{e}}' }],
      headers: { 'List-Unsubscribe': '<{{f}}>' },
      from: { name: '{{g}}' },
    });
    expect(paths).toEqual(['a', 'b', 'g', 'c', 'd', 'e', 'f']);
  });
});

describe('the addresses of a mail', () => {
  test('from the call replace the template’s, with or without a name; empty ones are ignored', () => {
    const cc = [{ name: 'Bo', address: 'bo@example.org' }, { name: 'Cy' }, 'dee@example.org'];
    const template = { cc: ['t@example.org'], bcc: ['t@example.org'] };
    const override = { cc, bcc: [{ name: '', address: '' }] };
    expect(getContent(template, {}, { override })).toMatchObject({
      cc: ['bo@example.org', 'dee@example.org'],
      bcc: ['t@example.org'],
    });
  });

  test('are rendered, checked and listed once', () => {
    const content = getContent(
      {
        from: { name: 'Team {{n}}', address: '{{n}}@example.org' },
        reply_to: 'r@example.org',
        cc: ['{{boss}}', 'c@example.org', 'c@example.org', '{{nobody}}'],
        bcc: ['b@exämple.org'],
      },
      { n: 'a', boss: 'boss@example.org' },
    );
    expect(content).toMatchObject({
      from: { name: 'Team a', address: 'a@example.org' },
      replyTo: 'r@example.org',
      cc: ['boss@example.org', 'c@example.org'],
      bcc: ['b@xn--exmple-cua.org'],
    });
  });

  test.each([
    [{ cc: ['{{v}}'] }],
    [{ bcc: ['{{v}}'] }],
    [{ reply_to: '{{v}}' }],
    [{ from: { address: '{{v}}' } }],
  ])('refuse a value that adds a second address: %j', (template) => {
    for (const v of ['a@x.org, b@y.org', 'a@x.org\r\nBcc: b@y.org', 'A <a@x.org>']) {
      expect(compose(template, { v })).toMatchObject({ failed: 'rejected_content' });
    }
  });

  test('keep a display name on one line', () => {
    const { from } = getContent({ from: { name: '{{v}}' } }, { v: 'A\r\nBcc: b@y.org' });
    expect(from).toEqual({ name: 'A Bcc: b@y.org' });
  });
});

test('only allowed headers are sent, one line each, and empty ones are left out', () => {
  const { headers } = getContent(
    {
      headers: {
        'List-Unsubscribe': '<https://x.org/{{v}}>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'List-Id': '{{missing}}',
        // A stored template that violates the schema.
        ...{ Bcc: 'eve@evil.org' },
      },
    },
    { v: 'a\r\nBcc: eve@evil.org' },
  );
  expect(headers).toEqual({
    'Auto-Submitted': 'auto-generated',
    'List-Unsubscribe': '<https://x.org/a%0D%0ABcc:%20eve@evil.org>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
});

describe('attachments', () => {
  test('from a template have placeholders in name and base64', () => {
    const attachments = [
      { file_name: '{{name}}.pdf', content: '{{file}}' },
      { file_name: 'none.pdf', content: '{{missing}}' },
    ];
    const data = { name: '../a/Invoice', file: base64 };
    expect(getContent({ attachments }, data).attachments).toEqual([
      { fileName: 'Invoice.pdf', content: base64 },
    ]);
  });

  test.each<[string, NonNullable<EmailOverride['attachments']>, unknown[]]>([
    ['a list', [{ file_name: 'a.pdf', content: base64 }], [{ fileName: 'a.pdf', content: base64 }]],
    [
      'one object',
      { filename: 'a.pdf', content: base64 },
      [{ fileName: 'a.pdf', content: base64 }],
    ],
    [
      'broken lines',
      [{ content: `${base64.slice(0, 4)}\r\n${base64.slice(4)}` }],
      [{ fileName: 'attachment', content: base64 }],
    ],
    [
      'a data URL',
      [{ file_name: 'a', content: `data:application/pdf;base64,${base64}` }],
      [{ fileName: 'a', content: base64 }],
    ],
    [
      'a URL',
      [{ url: 'https://x.org/a.pdf' }],
      [{ fileName: undefined, url: 'https://x.org/a.pdf' }],
    ],
    [
      'nothing in it',
      [{ file_name: 'a.pdf', content: '', url: '' }],
      [{ fileName: 't.pdf', content: base64 }],
    ],
    ['no element', [], [{ fileName: 't.pdf', content: base64 }]],
  ])('from a call may be %s, and replace the template’s', (_form, input, expected) => {
    const template = { attachments: [{ file_name: 't.pdf', content: base64 }] };
    const override = { attachments: input };
    expect(getContent(template, {}, { override }).attachments).toEqual(expected);
  });

  test('refuse the mail when they are not base64 or more than twenty', () => {
    const invalidOverride = { attachments: [{ file_name: 'a.pdf', content: 'not§base64' }] };
    expect(compose({}, {}, { override: invalidOverride })).toMatchObject({
      failed: 'rejected_content',
      detail: 'The attachment "a.pdf" is not valid base64.',
    });
    const many = { attachments: Array.from({ length: 21 }, () => ({ content: base64 })) };
    expect(compose({}, {}, { override: many })).toMatchObject({ failed: 'rejected_content' });
  });

  test('over 10 MB are too long, and the error names the limit', () => {
    const override = { attachments: [{ content: 'A'.repeat(maxMailBytes) }] };
    expect(compose({}, {}, { override })).toMatchObject({
      failed: 'too_long',
      detail: expect.stringContaining('the limit is 10485760 (10 MB)'),
    });
  });

  test('from a template may have 256 KB of base64 after rendering, and no more', () => {
    const compose256Kb = (more: string) =>
      compose(
        { attachments: [{ file_name: 'a.pdf', content: '{{file}}' }] },
        { file: 'A'.repeat(256 * 1024) + more },
      );
    expect(compose256Kb('')).toHaveProperty('content.attachments');
    expect(compose256Kb('A')).toMatchObject({
      failed: 'too_long',
      detail: expect.stringContaining('attachments[0].content'),
    });
  });

  test('count toward the size limit together with text and HTML', () => {
    const message = { text: 'ü'.repeat(1_000) };
    const attached = (bytes: number) =>
      compose({}, {}, { override: { message, attachments: [{ content: 'A'.repeat(bytes) }] } });
    expect(attached(maxMailBytes - 2_000)).toHaveProperty('content');
    expect(attached(maxMailBytes - 1_996)).toMatchObject({ failed: 'too_long' });
  });
});

describe('an override', () => {
  test('is literal, and replaces the template field by field', () => {
    const override: EmailOverride = {
      from: { name: 'Own' },
      cc: ['own@example.org'],
      bcc: [],
      reply_to: '',
      message: { subject: '{{a}} & co' },
    };
    const template = {
      from: { name: 'N', address: 'n@example.org' },
      cc: ['t@example.org'],
      bcc: ['b@example.org'],
      reply_to: 'r@example.org',
    };
    expect(getContent(template, {}, { override })).toMatchObject({
      subject: '{{a}} & co',
      text: 'Text',
      from: { name: 'Own', address: 'n@example.org' },
      cc: ['own@example.org'],
      bcc: ['b@example.org'],
      replyTo: 'r@example.org',
    });
  });

  test('with HTML replaces the text too, so that they agree', () => {
    const override = { message: { html_body: '<p>Own {{a}}</p>', text: '' } };
    expect(getContent({ html: '<p>T</p>' }, {}, { override })).toMatchObject({
      html: '<p>Own {{a}}</p>',
      text: 'Own {{a}}',
    });
  });

  test('with text alone sends no HTML', () => {
    const override = { message: { text: 'Own' } };
    const content = getContent({ html: '<p>T</p>' }, {}, { override });
    expect(content).toMatchObject({ text: 'Own' });
    expect(content).not.toHaveProperty('html');
  });

  test('needs no data for the fields that it replaces', () => {
    const override = { message: { subject: 'S', text: 'T' } };
    const template = { subject: '{{a}}', text: '{{b}}' };
    expect(compose(template, {}, { override, missing: 'reject' })).toMatchObject({ missing: [] });
  });

  test('with empty strings and lists is ignored', () => {
    const override: EmailOverride = {
      from: { name: '', address: '' },
      cc: [''],
      attachments: {},
      message: { subject: '', text: '', html_body: '' },
    };
    expect(compose({}, {}, { override })).toEqual(compose({}));
  });
});

describe('the headers of a mailing list', () => {
  const list = { unsubscribeUrl: 'https://notify.example.com/u/t', id: '<news.example.com>' };
  const own = 'List-Unsubscribe=One-Click';
  const getHeaders = (
    headers: NonNullable<EmailTemplate['headers']>,
    unsubscribeUrl = list.unsubscribeUrl,
  ) => omitAutoSubmitted(getContent({ headers }, {}, { list: { ...list, unsubscribeUrl } }));

  test('let mail programs unsubscribe with one click', () => {
    expect(getHeaders({})).toEqual({
      'List-Unsubscribe': '<https://notify.example.com/u/t>',
      'List-Unsubscribe-Post': own,
      'List-Id': '<news.example.com>',
    });
  });

  test('are those of the template where it has them', () => {
    const ownLink = { 'List-Unsubscribe': '<https://shop.example/off>' };
    expect(getHeaders(ownLink)).toEqual({ ...ownLink, 'List-Id': list.id });
    const ownId = { 'List-Id': '<mine.example>' };
    expect(getHeaders(ownId)).toMatchObject({ ...ownId, 'List-Unsubscribe-Post': own });
  });

  test('leave out a link that does not fit into a line', () => {
    expect(getHeaders({}, `https://notify.example.com/u/${'x'.repeat(1_000)}`)).toEqual({
      'List-Id': list.id,
    });
  });

  test('are only those of a mail that has a list', () => {
    expect(omitAutoSubmitted(getContent({}))).toEqual({});
  });
});

function omitAutoSubmitted({ headers }: EmailContent): Record<string, string> {
  const { 'Auto-Submitted': _, ...others } = headers;
  return others;
}

test('a mail says that a program sent it, unless the template says otherwise', () => {
  const read = (value?: string) =>
    getContent(value === undefined ? {} : { headers: { 'Auto-Submitted': value } }).headers;
  expect([read(), read(''), read('no')]).toEqual([
    { 'Auto-Submitted': 'auto-generated' },
    { 'Auto-Submitted': 'auto-generated' },
    { 'Auto-Submitted': 'no' },
  ]);
});
