import type { Data, Json } from '@belfry/shared';
import fc from 'fast-check';
import { compileSlack } from './compose';
import type { SlackOverride, SlackTemplate } from './template';

function compose(
  template: SlackTemplate,
  data: Data = {},
  { override, missing = 'empty' }: { override?: SlackOverride; missing?: 'empty' | 'reject' } = {},
) {
  return compileSlack(template).compose({
    data,
    target: 'C0123456789',
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

const section = (text: string): Json => ({ type: 'section', text: { type: 'mrkdwn', text } });
const header = (text: string): Json => ({ type: 'header', text: { type: 'plain_text', text } });
const blocks = (...list: Json[]) => JSON.stringify(list);

describe('a value in Slack text', () => {
  test.each([
    ['R&D <b> "q" \'a\'', 'R&amp;D &lt;b&gt; "q" \'a\''],
    ['<!channel>', '&lt;!channel&gt;'],
    ['<@U0123456789>', '&lt;@U0123456789&gt;'],
    ['<https://x.org|y>', '&lt;https://x.org|y&gt;'],
    ['{{x}}', '{{x}}'],
    ['&amp;', '&amp;amp;'],
    // planetscale/beam#72 and tryfabric/mack#21 showed entities for quotes.
    ["We've", "We've"],
    ['a "quote"', 'a "quote"'],
  ])('%j becomes %j', (value, expected) => {
    expect(getContent({ text: 'a {{v}} b' }, { v: value }).text).toBe(`a ${expected} b`);
    expect(getContent({ text: 'a {{{v}}} b' }, { v: value }).text).toBe(`a ${expected} b`);
  });

  test.each([
    ['<{{v}}|docs>', 'https://x.org/?a=1&b=2', '<https://x.org/?a=1&b=2|docs>'],
    [
      '<{{v}}|docs>',
      'https://x.org/|y> <!channel>',
      '<https://x.org/%7Cy%3E%20%3C!channel%3E|docs>',
    ],
    ['<{{v}}|docs>', '!channel', '<about:blank|docs>'],
    ['<{{v}}>', '@U0123456789', '<about:blank>'],
    ['<{{v}}|docs>', '', 'docs'],
    ['<{{v}}|docs>', ' ', 'docs'],
    ['<{{nothing}}{{v}}|docs>', '!here', '<about:blank|docs>'],
    ['<{{nothing}}{{v}}|docs>', ' @U0123456789', '<about:blank|docs>'],
    ['<java{{v}}|docs>', 'script:x', '<javaabout:blank|docs>'],
    ['<{{base}}{{v}}|docs>', '/path?a=1&b=2', '<https://x.org/path?a=1&b=2|docs>'],
    ['<https://x.org/{{v}}|docs>', 'a:b&c', '<https://x.org/a:b&c|docs>'],
    ['<https://x.org|{{v}}>', 'docs > setup', '<https://x.org|docs &gt; setup>'],
    ['<@{{v}}> hi', 'U0123> <!channel', '<@U0123%3E%20%3C!channel> hi'],
  ])('in the link %s, %j becomes %s', (text, value, expected) => {
    expect(getContent({ text }, { v: value, nothing: null, base: 'https://x.org' }).text).toBe(
      expected,
    );
  });

  test('cannot follow a block that leaves a link open', () => {
    expect(() => compose({ text: '{{#if a}}<{{/if}}{{v}}>' })).toThrow(/^text: .*ends inside/);
  });

  test('never adds a mention or a link, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (value) => {
        const { text } = getContent(
          { text: 'x{{v}}', blocks: blocks(section('x{{v}}')) },
          { v: value },
        );
        expect(text).not.toMatch(/[<>]/);
      }),
    );
  });
});

describe('Block Kit', () => {
  test('is parsed first, so that a value stays in its text', () => {
    const value = '"}, {"type": "divider"}, <!channel> & \n {{x}}';
    const source = blocks(
      header('{{v}}'),
      section('*{{v}}*'),
      { type: 'section', fields: [{ type: 'mrkdwn', text: '{{v}}' }] },
      { type: 'image', image_url: 'https://x.org/{{v}}', alt_text: '{{v}}' },
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '{{v}}' }] }],
      },
      {
        type: 'actions',
        elements: [{ type: 'button', text: { type: 'plain_text', text: '{{v}}' }, value: '{{v}}' }],
      },
      { type: 'markdown', text: '{{v}}' },
      { type: 'context', elements: [{ text: '{{v}}' }] },
    );
    const escaped = '"}, {"type": "divider"}, &lt;!channel&gt; &amp; \n {{x}}';
    expect(getContent({ blocks: source }, { v: value }).blocks).toEqual([
      header(value),
      section(`*${escaped}*`),
      { type: 'section', fields: [{ type: 'mrkdwn', text: escaped }] },
      { type: 'image', image_url: `https://x.org/${value}`, alt_text: value },
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: value }] }],
      },
      {
        type: 'actions',
        elements: [{ type: 'button', text: { type: 'plain_text', text: value }, value }],
      },
      { type: 'markdown', text: escaped },
      { type: 'context', elements: [{ text: escaped }] },
    ]);
  });

  test('may be in an object, as in the Block Kit Builder', () => {
    const { blocks: composedBlocks } = getContent({
      blocks: JSON.stringify({ blocks: [section('a')] }),
    });
    expect(composedBlocks).toEqual([section('a')]);
  });

  test('provides the notification text when there is none, and escapes plain text', () => {
    const source = blocks(header('{{v}}'), section('*b*'), { type: 'divider' });
    expect(getContent({ blocks: source }, { v: '<!channel>' }).text).toBe('&lt;!channel&gt;\n*b*');
    expect(getContent({ text: 'own', blocks: source }, { v: 'a' }).text).toBe('own');
  });

  test('leaves out sections, headers and fields that a missing value emptied', () => {
    const source = blocks(section('{{missing}}'), header(' {{missing}} '), {
      type: 'section',
      fields: [
        { type: 'mrkdwn', text: '{{missing}}' },
        { type: 'mrkdwn', text: 'kept' },
      ],
    });
    expect(getContent({ blocks: source }).blocks).toEqual([
      { type: 'section', fields: [{ type: 'mrkdwn', text: 'kept' }] },
    ]);
  });

  test.each([
    ['[{]', 'not JSON', 1, 3],
    ['[\n{"text": {{v}}}\n]', 'not JSON', 2, 11],
    ['"text"', 'must be a list', 1, 1],
    ['{"text": "a"}', 'must be a list', 1, 1],
    ['["a"]', 'must be a list', 1, 1],
    [`[{"a":${'['.repeat(40)}${']'.repeat(40)}}]`, 'more than 32', 1, 1],
    [`[${' '.repeat(64 * 1024)}]`, 'longer than 65536', 1, 1],
    [
      '[{"type":"section","text":{"type":"mrkdwn","text":"{{#if}}"}}]',
      'blocks[0].text.text: ',
      1,
      1,
    ],
  ])('refuses %.40j on save', (source, message, line, column) => {
    expect(() => compose({ blocks: source })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), line, column }),
    );
  });

  test('lists the paths of text and blocks', () => {
    const compiled = compileSlack({ text: '{{a}}', blocks: blocks(section('{{b}} {{a}}')) });
    expect(compiled.paths).toEqual(['a', 'b']);
  });
});

describe('limits', () => {
  test.each<[string, SlackTemplate, string]>([
    ['text', { text: 'x'.repeat(40_001) }, 'text: 40001 characters; the limit is 40000.'],
    [
      'blocks',
      { blocks: blocks(...Array.from({ length: 51 }, () => section('a'))) },
      'blocks: 51 items; the limit is 50.',
    ],
    [
      'a section',
      { blocks: blocks(section('x'.repeat(3_001))) },
      'blocks[0].text.text: 3001 characters; the limit is 3000.',
    ],
    [
      'a header',
      { blocks: blocks(section('a'), header('x'.repeat(151))) },
      'blocks[1].text.text: 151 characters; the limit is 150.',
    ],
    [
      'fields',
      {
        blocks: blocks({
          type: 'section',
          fields: Array.from({ length: 11 }, () => ({ type: 'mrkdwn', text: 'a' })),
        }),
      },
      'blocks[0].fields: 11 items; the limit is 10.',
    ],
    [
      'a field',
      {
        blocks: blocks({ type: 'section', fields: [{ type: 'mrkdwn', text: 'x'.repeat(2_001) }] }),
      },
      'blocks[0].fields[0].text: 2001 characters; the limit is 2000.',
    ],
    [
      'the sum',
      { blocks: blocks(...Array.from({ length: 5 }, () => section('x'.repeat(2_500)))) },
      'All blocks together: 12500 characters; the limit is 12000.',
    ],
  ])(
    'on %s are checked on save, and for an override before the call',
    (_what, template, detail) => {
      expect(() => compose(template)).toThrow(detail);
      const override = { message: template } as SlackOverride;
      expect(compose({ text: 'T' }, {}, { override })).toEqual({ failed: 'too_long', detail });
    },
  );

  test.each<[string, SlackTemplate]>([
    ['text', { text: 'x'.repeat(40_000) }],
    ['a section', { blocks: blocks(section('x'.repeat(3_000))) }],
  ])('on %s may be reached exactly', (_what, template) => {
    expect(compose(template)).toHaveProperty('content');
  });

  test('cut a derived text between its links', () => {
    const first = 'x'.repeat(2_000);
    const second = `${'y'.repeat(990)} <https://x.org|link>`;
    const { text } = getContent({ blocks: blocks(section(first), section(second)) });
    expect(text).toBe(`${first}\n${'y'.repeat(990)} …`);
  });
});

describe('an override of Slack', () => {
  test('is literal, and replaces text and blocks together', () => {
    const template = { text: 'T', blocks: blocks(section('T')) };
    expect(getContent(template, {}, { override: { message: { text: '<!here> {{a}}' } } })).toEqual({
      text: '<!here> {{a}}',
    });
    const own = [section('*Own* {{a}}')] as { [key: string]: Json }[];
    const expected = { text: '*Own* {{a}}', blocks: own };
    const forms = [own, { blocks: own }, section('*Own* {{a}}') as { [key: string]: Json }];
    for (const ownBlocks of forms.flatMap((form) => [form, JSON.stringify(form)])) {
      expect(getContent(template, {}, { override: { message: { blocks: ownBlocks } } })).toEqual(
        expected,
      );
    }
  });

  test.each<[SlackOverride]>([
    [{}],
    [{ message: {} }],
    [{ message: { text: '', blocks: [] } }],
    [{ message: { blocks: '' } }],
    [{ message: { blocks: {} } }],
  ])('with %j is ignored', (override) => {
    expect(getContent({ text: 'T' }, {}, { override })).toEqual({ text: 'T' });
  });

  test.each<[string | { [key: string]: Json }]>([['[{'], [{ text: 'x' }], [{ blocks: 'x' }]])(
    'with the invalid blocks %j fails the message',
    (input) => {
      const override = { message: { blocks: input } };
      expect(compose({ text: 'T' }, {}, { override })).toMatchObject({
        failed: 'rejected_content',
      });
    },
  );
});

test('an empty message fails', () => {
  expect(compose({ text: '{{v}}' })).toMatchObject({ failed: 'empty_content' });
  expect(compose({})).toMatchObject({ failed: 'empty_content' });
});

test('a missing value fails the message when the version requires it', () => {
  expect(compose({ text: 'a {{v}}' }, {}, { missing: 'reject' })).toMatchObject({
    failed: 'missing_data',
  });
});
