import type { Data } from '@belfry/shared';
import { compileTelegram } from './compose';
import type { TelegramOverride, TelegramTemplate } from './template';

function compose(
  template: TelegramTemplate,
  data: Data = {},
  {
    override,
    missing = 'empty',
  }: { override?: TelegramOverride; missing?: 'empty' | 'reject' } = {},
) {
  return compileTelegram(template).compose({
    data,
    target: '42',
    override,
    missing,
    isSensitive: false,
  });
}

function getText(...input: Parameters<typeof compose>): string {
  const composed = compose(...input);
  if ('failed' in composed) throw new Error(`${composed.failed}: ${composed.detail}`);
  return composed.content.text;
}

describe('line breaks and paragraphs of HTML become line feeds', () => {
  test.each([
    ['Eleirbag89/TelegramBotPHP#152', 'a<br>b<br/>c<BR />d', 'a\nb\nc\nd'],
    ['PipedreamHQ/pipedream#5849', '<p>a</p>\n<p>b</p>', 'a\n\nb'],
    ['text around a paragraph', 'a <p>b</p> c', 'a\n\nb\n\nc'],
    ['formatting in a paragraph', '<p><b>a</b><br>b</p><p>c</p>', '<b>a</b>\nb\n\nc'],
    ['empty paragraphs', '<p></p><p>a</p><p> </p>', 'a'],
    ['line endings from Windows', 'a\r\nb\rc', 'a\nb\nc'],
  ])('%s', (_report, text, expected) => {
    expect(getText({ text })).toBe(expected);
  });

  test('but those of a value are escaped', () => {
    expect(getText({ text: '{{v}}' }, { v: 'a\r\n\n b<br><p>' })).toBe(
      'a\n\n b&lt;br&gt;&lt;p&gt;',
    );
  });
});

test('a link without an address never turns its own text into the address', () => {
  const text = `<a href="{{url}}">{{name}}</a> <a href='{{url}}'>b</a>`;
  expect(getText({ text }, { name: 'tg://user?id=1 href=""' })).toBe(
    `<a href="#">tg://user?id=1 href=""</a> <a href='#'>b</a>`,
  );
});

describe('the limit of 4096 characters', () => {
  const tooLong = (characters: number) => ({
    failed: 'too_long',
    detail: `text: ${characters} characters; the limit is 4096.`,
  });

  test.each([
    ['plain text', 'x'.repeat(4_096)],
    ['characters that are longer when escaped', '&'.repeat(4_096)],
    ['emoji of two UTF-16 units', '👋'.repeat(2_048)],
    ['surrounding space', ` ${'x'.repeat(4_096)}\n`],
  ])('counts %s as Telegram does, after parsing the markup', (_what, value) => {
    expect(compose({ text: '<b>{{v}}</b>' }, { v: value })).toHaveProperty('content');
    expect(compose({ text: '<b>{{v}}</b>' }, { v: `${value.trim()}x` })).toEqual(tooLong(4_097));
  });

  test('counts no tags or addresses, and one character for each entity of the template', () => {
    const text = `<a href="https://x.org/${'y'.repeat(5_000)}">&lt;&#128075;&#x41;</a>{{v}}`;
    expect(compose({ text }, { v: 'x'.repeat(4_092) })).toHaveProperty('content');
    expect(compose({ text }, { v: 'x'.repeat(4_093) })).toEqual(tooLong(4_097));
  });

  test('tdlib/telegram-bot-api#655: applies to the text before escaping', () => {
    expect(getText({ text: '{{v}}' }, { v: '<'.repeat(4_000) })).toBe('&lt;'.repeat(4_000));
  });

  test('serilog-contrib/Serilog.Sinks.Telegram.Alternative#33: fails a longer text instead of cutting it inside a tag', () => {
    expect(compose({ text: '<i>{{v}}</i>' }, { v: 'x'.repeat(8_000) })).toEqual(tooLong(8_000));
  });
});

describe('a template’s flags', () => {
  test('are sent only when set', () => {
    const flags = { disable_notification: true, link_preview: 'off' } as const;
    expect(compose({ text: 'a', ...flags })).toEqual({
      content: { text: 'a', disableNotification: true, linkPreview: false },
      missing: [],
    });
    expect(compose({ text: 'a', disable_notification: false })).toEqual({
      content: { text: 'a' },
      missing: [],
    });
  });

  test('are replaced by those of the call, one by one', () => {
    const template = { text: 'a', disable_notification: true, link_preview: 'off' } as const;
    const override = { message: { disable_notification: false } };
    expect(compose(template, {}, { override })).toEqual({
      content: { text: 'a', linkPreview: false },
      missing: [],
    });
    const showing = { message: { disable_link_preview: false } };
    expect(compose(template, {}, { override: showing })).toMatchObject({
      content: { linkPreview: true },
    });
  });
});

describe('an override of Telegram', () => {
  test('is literal: neither rendered nor parsed as markup', () => {
    const override = { message: { text: '<b>{{a}}</b> & "c"' } };
    expect(getText({ text: 'T' }, { a: 'x' }, { override })).toBe(
      '&lt;b&gt;{{a}}&lt;/b&gt; &amp; "c"',
    );
  });

  test.each<[TelegramOverride]>([[{}], [{ message: {} }], [{ message: { text: '  ' } }]])(
    'with %j is ignored',
    (override) => {
      expect(getText({ text: 'T' }, {}, { override })).toBe('T');
    },
  );

  test('has the same size limit', () => {
    const override = { message: { text: '<'.repeat(4_097) } };
    expect(compose({ text: 'T' }, {}, { override })).toMatchObject({ failed: 'too_long' });
  });
});

test.each([['{{v}}'], ['<b>{{v}}</b> <br>'], ['<p>{{v}}</p>'], ['&#32;{{v}}']])(
  'the message %j is empty without its value',
  (text) => {
    expect(compose({ text })).toMatchObject({ failed: 'empty_content' });
  },
);

test.each<[string, Data, string]>([
  ['maizzle/framework#1200: nothing', {}, 'a  b'],
  ['null', { v: null }, 'a  b'],
  ['0', { v: 0 }, 'a 0 b'],
  ['an object', { v: { x: '<' } }, 'a {"x":"&lt;"} b'],
  ['nocobase/nocobase#6164: a placeholder', { v: '{{name}}', name: 'x' }, 'a {{name}} b'],
])('%s prints as data, never as the name of a type', (_report, data, expected) => {
  expect(getText({ text: 'a {{v}} b' }, data)).toBe(expected);
});

test('a missing value fails the message when the version requires it', () => {
  expect(compose({ text: 'a {{v}}' }, {}, { missing: 'reject' })).toMatchObject({
    failed: 'missing_data',
  });
});

test('a template error names its field', () => {
  expect(() => compileTelegram({ text: 'a <h1>' })).toThrow(
    /^text: Telegram does not support <h1>/,
  );
  expect(compileTelegram({ text: '{{a.b}} {{c}}' }).paths).toEqual(['a.b', 'c']);
});
