import type { Data } from '@belfry/shared';
import fc from 'fast-check';
import { compileWhatsapp } from './compose';
import type { ApprovedTemplate, WhatsappOverride, WhatsappTemplate } from './template';

function compose(
  template: WhatsappTemplate,
  data: Data = {},
  {
    override,
    missing = 'empty',
  }: { override?: WhatsappOverride; missing?: 'empty' | 'reject' } = {},
) {
  return compileWhatsapp(template).compose({
    data,
    target: '+4512345678',
    override,
    missing,
    isSensitive: false,
  });
}

function getContent(...input: Parameters<typeof compose>) {
  const composed = compose(...input);
  if ('failed' in composed) throw new Error(`${composed.failed}: ${composed.detail}`);
  return composed.content;
}

const approved = (changes: Partial<ApprovedTemplate> = {}): WhatsappTemplate => ({
  template: { name: 'order_shipped', language: 'en_US', ...changes },
});
const one = (value: string) => approved({ parameters: [{ value }] });
const contentSid = `HX${'0123456789abcdef'.repeat(2)}`;

describe('free text', () => {
  test.each([
    ['Escape & work', 'Escape & work'],
    ["Jack o'neill <b>", "Jack o'neill <b>"],
    ['{{x}}', '{{x}}'],
    ['a\r\nb\rc\n\n  d\t', 'a\nb\nc\n\n  d\t'],
    ['a\0b', 'ab'],
    ['👋 é', '👋 é'],
    [0, '0'],
    [false, 'false'],
    [{ a: [1] }, '{"a":[1]}'],
    [[], '[]'],
    [null, ''],
  ])('shows the value %j as %j', (value, expected) => {
    expect(getContent({ text: 'to {{v}}.' }, { v: value })).toEqual({
      kind: 'text',
      text: `to ${expected}.`,
    });
  });

  test('may have 4096 characters, and fails with the limit for one more', () => {
    expect(getContent({ text: 'x'.repeat(4_096) })).toHaveProperty('text.length', 4_096);
    expect(compose({ text: `${'x'.repeat(4_090)}{{v}}` }, { v: '1234567' })).toEqual({
      failed: 'too_long',
      detail: 'text: 4097 characters; the limit is 4096.',
    });
  });

  test.each<[WhatsappTemplate]>([
    [{}],
    [{ text: ' ' }],
    [{ text: '{{v}} \n' }],
    [{ template: {} }],
  ])('fails when it is blank: %j', (template) => {
    expect(compose(template)).toEqual({ failed: 'empty_content', detail: 'The text is empty.' });
  });

  test('fails for a missing value when the version requires it', () => {
    expect(compose({ text: 'a {{v}}' }, {}, { missing: 'reject' })).toMatchObject({
      failed: 'missing_data',
    });
  });
});

describe('an approved template', () => {
  test('is sent with its name, language, Content SID and ordered parameters', () => {
    const template = approved({
      content_sid: contentSid,
      parameters: [{ value: '{{user.name}}' }, { value: 'No. {{id}}' }],
    });
    expect(getContent(template, { user: { name: 'Ada' }, id: 7 })).toEqual({
      kind: 'template',
      name: 'order_shipped',
      language: 'en_US',
      contentSid,
      parameters: [{ text: 'Ada' }, { text: 'No. 7' }],
      buttons: [],
    });
  });

  test('may have no parameter', () => {
    expect(getContent(approved())).toMatchObject({ kind: 'template', parameters: [] });
  });

  test('may have named parameters in any order', () => {
    const template = approved({
      body: 'Hi {{first_name}}, order {{ order_id }} is on its way. {{first_name}}!',
      parameters: [
        { name: 'order_id', value: '{{id}}' },
        { name: 'first_name', value: '{{name}}' },
      ],
    });
    expect(getContent(template, { id: '7', name: '{{order_id}} $&' })).toMatchObject({
      parameters: [
        { name: 'order_id', text: '7' },
        { name: 'first_name', text: '{{order_id}} $&' },
      ],
      preview: 'Hi {{order_id}} $&, order 7 is on its way. {{order_id}} $&!',
    });
  });

  test('has a header and buttons when they have variables', () => {
    const template = approved({
      header: { kind: 'document', value: 'https://x.org/{{id}}.pdf', file_name: 'Bill {{id}}.pdf' },
      buttons: [
        { index: 0, kind: 'url', value: 'orders/{{id}}?a=1&b=%20' },
        { index: 1, kind: 'quick_reply', value: 'stop-{{id}}' },
        { index: 2, kind: 'copy_code', value: 'SAVE{{id}}' },
      ],
    });
    expect(getContent(template, { id: 7 })).toMatchObject({
      header: { kind: 'document', url: 'https://x.org/7.pdf', fileName: 'Bill 7.pdf' },
      buttons: [
        { index: 0, kind: 'url', text: 'orders/7?a=1&b=%20' },
        { index: 1, kind: 'quick_reply', text: 'stop-7' },
        { index: 2, kind: 'copy_code', text: 'SAVE7' },
      ],
    });
  });

  test.each<[NonNullable<ApprovedTemplate['header']>, object]>([
    [
      { kind: 'text', value: '{{v}}' },
      { kind: 'text', text: 'Ada' },
    ],
    [
      { kind: 'text', value: '{{v}}', name: 'who' },
      { kind: 'text', name: 'who', text: 'Ada' },
    ],
    [
      { kind: 'image', value: 'https://x.org/{{v}}' },
      { kind: 'image', url: 'https://x.org/Ada' },
    ],
    [
      { kind: 'video', value: 'https://x.org/{{v}}' },
      { kind: 'video', url: 'https://x.org/Ada' },
    ],
    [
      { kind: 'document', value: 'https://x.org' },
      { kind: 'document', url: 'https://x.org' },
    ],
  ])('accepts the header %j', (header, expected) => {
    expect(getContent(approved({ header }), { v: 'Ada' })).toMatchObject({ header: expected });
  });

  test('lists the paths of all its parts', () => {
    const { paths } = compileWhatsapp(
      approved({
        parameters: [{ value: '{{a}}' }, { value: '{{b}}' }],
        header: { kind: 'document', value: 'https://x.org/{{c}}', file_name: '{{d}}' },
        buttons: [{ index: 0, kind: 'url', value: '{{e}} {{a}}' }],
      }),
    );
    expect(paths).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('a parameter', () => {
  test.each([
    ['a\nb', 'a b'],
    ['a\r\n\r\nb', 'a b'],
    ['a\tb', 'a b'],
    ['a     b', 'a b'],
    ['\u00a0a\u2028b\u200a ', 'a b'],
    ['a\0\u0085b', 'a b'],
    ['R&D <b> "q" \'a\'', 'R&D <b> "q" \'a\''],
    ['{{x}} {{1}}', '{{x}} {{1}}'],
    [0, '0'],
    [{ a: 1 }, '{"a":1}'],
  ])('with %j becomes %j', (value, expected) => {
    expect(getContent(one('{{v}}'), { v: value })).toMatchObject({
      parameters: [{ text: expected }],
    });
  });

  test.each([null, '', ' \n\t ', '\0'])('that %j leaves empty fails, and is named', (value) => {
    const template = approved({ parameters: [{ value: 'a' }, { value: '{{v}}' }] });
    expect(compose(template, { v: value })).toEqual({
      failed: 'empty_content',
      detail: 'template.parameters[1]: must not be empty in an approved template.',
    });
  });

  test('never has a line break, a tab, two spaces or a control character, whatever its value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
        const content = getContent(one('x {{v}} y'), { v: value });
        if (content.kind !== 'template') throw new Error('No template');
        expect(content.parameters[0]?.text).not.toMatch(/\p{Cc}|[^\S ]|\s\s/u);
      }),
    );
  });
});

describe('a value in a button’s URL', () => {
  test.each([
    ['a b', 'a%20b'],
    ['a"><script>', 'a%22%3E%3Cscript%3E'],
    ['naïve/👋', 'na%C3%AFve/%F0%9F%91%8B'],
    ['x?a=1&b=2#c', 'x?a=1&b=2#c'],
    ['\ud83d', '%EF%BF%BD'],
  ])('with %j becomes %j', (value, expected) => {
    const template = approved({ buttons: [{ index: 0, kind: 'url', value: '{{v}}' }] });
    expect(getContent(template, { v: value })).toMatchObject({ buttons: [{ text: expected }] });
  });
});

describe('a limit is named before anything is sent:', () => {
  const button = (kind: 'url' | 'quick_reply' | 'copy_code') =>
    approved({ buttons: [{ index: 0, kind, value: '{{v}}' }] });
  const header = (kind: 'text' | 'image', value: string) => approved({ header: { kind, value } });

  test.each<[string, WhatsappTemplate, number, string]>([
    ['body', one('{{v}}'), 1_024, 'template.body: 1025 characters; the limit is 1024.'],
    [
      'known body',
      approved({ body: 'Hi {{1}}', parameters: [{ value: '{{v}}' }] }),
      1_021,
      'template.body: 1025 characters; the limit is 1024.',
    ],
    ['header', header('text', '{{v}}'), 60, 'template.header: 61 characters; the limit is 60.'],
    [
      'media',
      header('image', 'https://x.org/{{v}}'),
      1_986,
      'template.header: 2001 characters; the limit is 2000.',
    ],
    ['url', button('url'), 2_000, 'template.buttons[0]: 2001 characters; the limit is 2000.'],
    [
      'quick reply',
      button('quick_reply'),
      256,
      'template.buttons[0]: 257 characters; the limit is 256.',
    ],
    ['code', button('copy_code'), 20, 'template.buttons[0]: 21 characters; the limit is 20.'],
  ])('%s', (_what, template, characters, detail) => {
    expect(compose(template, { v: 'x'.repeat(characters) })).toHaveProperty('content');
    expect(compose(template, { v: 'x'.repeat(characters + 1) })).toEqual({
      failed: 'too_long',
      detail,
    });
  });

  test.each([
    '/x.png',
    'http://x.org/a',
    'ftp://x.org/a',
    'javascript:alert(1)',
    'https://',
    'file:///etc/passwd',
  ])('a header’s file must be on the web, and %s is not', (value) => {
    expect(compose(header('image', '{{v}}'), { v: value })).toEqual({
      failed: 'rejected_content',
      detail: 'template.header: must be an https URL, which Meta fetches.',
    });
  });
});

describe('a template that no provider could send is refused on save:', () => {
  test.each<[string, WhatsappTemplate, string]>([
    [
      'text and template',
      { text: 'a', ...approved() },
      'text: must be empty when there is a template',
    ],
    ['no name', { template: { parameters: [{ value: 'a' }] } }, 'template: must have a name'],
    ['no language', { template: { name: 'a' } }, 'template.language: must be set'],
    [
      'some names',
      approved({ parameters: [{ name: 'a', value: 'a' }, { value: 'b' }] }),
      'template.parameters: must either all have a name, or none',
    ],
    [
      'a name twice',
      approved({
        parameters: [
          { name: 'a', value: 'a' },
          { name: 'a', value: 'b' },
        ],
      }),
      'template.parameters: must not have the same name twice',
    ],
    // caronc/apprise#1283
    [
      'numbers when the approved text has names',
      approved({ body: 'Order {{order_id}}', parameters: [{ value: 'a' }] }),
      'template.parameters: must include {{order_id}}',
    ],
    [
      'names when the approved text has numbers',
      approved({ body: 'Order {{1}}', parameters: [{ name: 'order_id', value: 'a' }] }),
      'template.parameters: must include {{1}}',
    ],
    [
      'one too many',
      approved({ body: 'Order {{1}}', parameters: [{ value: 'a' }, { value: 'b' }] }),
      'template.parameters: must not include {{2}}, which',
    ],
    [
      'a button twice',
      approved({
        buttons: [
          { index: 0, kind: 'url', value: 'a' },
          { index: 0, kind: 'url', value: 'b' },
        ],
      }),
      'template.buttons: must not have the same position twice',
    ],
    [
      'a header with a Content SID',
      approved({ content_sid: contentSid, header: { kind: 'text', value: 'a' } }),
      'template.content_sid: must have the variables of header and buttons as parameters',
    ],
    ['a parameter that does not parse', one('{{#if}}'), 'template.parameters[0]: '],
    ['a text that does not parse', { text: '{{' }, 'text: '],
  ])('%s', (_what, template, message) => {
    expect(() => compileWhatsapp(template)).toThrow(
      expect.objectContaining({ name: 'TemplateError', message: expect.stringContaining(message) }),
    );
  });
});

describe('an override of WhatsApp', () => {
  test('is literal, and replaces text and template', () => {
    const override = { message: { text: 'Own {{a}}' } };
    const expected = { kind: 'text', text: 'Own {{a}}' };
    expect(getContent({ text: 'T {{a}}' }, {}, { override })).toEqual(expected);
    expect(getContent(approved(), {}, { override, missing: 'reject' })).toEqual(expected);
  });

  test.each<[WhatsappOverride]>([[{}], [{ message: {} }], [{ message: { text: ' ' } }]])(
    'with %j is ignored',
    (override) => {
      expect(getContent({ text: 'T' }, {}, { override })).toEqual({ kind: 'text', text: 'T' });
    },
  );

  test('that is too long fails', () => {
    const override = { message: { text: 'x'.repeat(4_097) } };
    expect(compose({ text: 'T' }, {}, { override })).toMatchObject({ failed: 'too_long' });
  });
});
