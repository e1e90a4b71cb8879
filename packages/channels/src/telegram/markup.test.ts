import { parseTemplate, renderTemplate, TemplateError } from '@belfry/shared';
import { createTelegramEscape } from './markup';

type Values = Record<string, string | null | boolean | string[]>;

function render(source: string, data: Values = {}): string {
  const template = parseTemplate(source);
  const rendered = renderTemplate(template, data, { escape: createTelegramEscape(template) });
  return 'text' in rendered ? rendered.text : rendered.failed;
}

function catchTemplateError(source: string): TemplateError {
  try {
    createTelegramEscape(parseTemplate(source));
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`${source} was not refused`);
}

describe('a value in Telegram’s HTML', () => {
  test.each([
    ['windkh/node-red-contrib-telegrambot#301', 'a-b.c!', 'a-b.c!'],
    ['GokulDas027/TelegramBridge#6', '1 - 2 = (-1)', '1 - 2 = (-1)'],
    ['irazasyed/telegram-bot-sdk#493', 'a_b@x.org *c* [d](e) `f`', 'a_b@x.org *c* [d](e) `f`'],
    ['python-telegram-bot/python-telegram-bot#2981', '<<b>1234</b>', '&lt;&lt;b&gt;1234&lt;/b&gt;'],
    ['eternnoir/pyTelegramBotAPI#661', '<how>', '&lt;how&gt;'],
    ['planetscale/beam#72', "We've", "We've"],
    ['tryfabric/mack#21', 'a "quote"', 'a "quote"'],
    ['an entity', '&amp;', '&amp;amp;'],
    ['a line break', 'a<br>b', 'a&lt;br&gt;b'],
    ['a placeholder', '{{x}}', '{{x}}'],
    ['a mention', '<a href="tg://user?id=1">x</a>', '&lt;a href="tg://user?id=1"&gt;x&lt;/a&gt;'],
  ])('is escaped once, and the author’s tags are kept: %s', (_report, value, expected) => {
    expect(render('<b>{{v}}</b>', { v: value })).toBe(`<b>${expected}</b>`);
    expect(render('<b>{{{v}}}</b>', { v: value })).toBe(`<b>${expected}</b>`);
  });

  test.each([
    ['{{v}}', 'https://x.org/?a=1&b=2', 'https://x.org/?a=1&amp;b=2'],
    ['{{v}}', 'https://x.org/"><b>', 'https://x.org/&quot;&gt;&lt;b&gt;'],
    ['{{v}}', 'mailto:a@x.org', 'mailto:a@x.org'],
    ['{{v}}', 'tel:+4512345678', 'tel:+4512345678'],
    ['{{v}}', 'tg://user?id=1', '#'],
    ['{{v}}', 'javascript:alert(1)', '#'],
    ['{{v}}', 'x.org', '#'],
    ['{{v}}', '', '#'],
    ['t{{v}}', 'g://user?id=1', 't#'],
    ['tg{{v}}', '://user?id=1', 'tg#'],
    ['{{nothing}}{{v}}', 'tg://user?id=1', '#'],
    ['{{nothing}}tg:{{v}}', '//user?id=1', undefined],
    ['{{base}}{{v}}', '/a?b&c', 'https://x.org/a?b&amp;c'],
    ['https://x.org/{{v}}', "a:b'c", 'https://x.org/a:b&#39;c'],
    ['tg://user?id={{v}}', '1"', 'tg://user?id=1&quot;'],
    ['{{#if yes}}https://x.org/{{else}}{{base}}{{/if}}{{v}}', 'a', 'https://x.org/a'],
  ])('in the link "%s", %j becomes %s', (href, value, expected) => {
    for (const quote of ['"', "'"]) {
      const source = `<a href=${quote}${href}${quote}>x</a>`;
      const data = { v: value, nothing: null, yes: true, base: 'https://x.org' };
      if (expected === undefined)
        expect(catchTemplateError(source).message).toContain('a link that is not');
      else expect(render(source, data)).toBe(`<a href=${quote}${expected}${quote}>x</a>`);
    }
  });
});

describe('a Telegram template', () => {
  test.each([
    '<b>a</b><strong>b</strong><i>c</i><em>d</em><u>e</u><ins>f</ins><s>g</s><strike>h</strike><del>i</del>',
    '<tg-spoiler>a</tg-spoiler><span class="tg-spoiler">b</span><tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>',
    '<code>a</code><pre>b</pre><pre><code class="language-ts">c</code></pre>',
    '<blockquote>a</blockquote><blockquote expandable>b</blockquote>',
    '<a href=\'https://x.org/?a>b\'>a</a> <A HREF = "tg://resolve?domain=x">b</A >',
    'a<br>b<br/>c<br />d<p>e</p>',
    '{{#if a}}<b>{{b}}</b>{{else}}<i>{{c}}</i>{{/if}}',
    '<a href="{{#if a}}https://x.org">{{else}}https://y.org">{{/if}}{{b}}</a>',
    '{{#each list}}<b>{{this}}</b>\n{{/each}}',
    '5 > 3 & 1',
  ])('may have %s', (source) => {
    expect(() => createTelegramEscape(parseTemplate(source))).not.toThrow();
  });

  test.each<[string, RegExp, number, number]>([
    ['Hello <h1>x</h1>', /^Telegram does not support <h1>. Use a, b, /, 1, 7],
    ['a\n\n  <table>', /does not support <table>/, 3, 3],
    ['a\r\n<div>', /does not support <div>/, 2, 1],
    ['{{#if a}}\n  <img>\n{{/if}}', /does not support <img>/, 2, 3],
    ['{{a}}\n{{~b~}}\n<how>', /does not support <how>/, 3, 1],
    ['<constructor>', /does not support <constructor>/, 1, 1],
    ['1 < 2 {{a}}', /A value can be in text/, 1, 7],
    ['1 < 2', /A < that starts no tag must be written as &lt;/, 1, 3],
    ['<3 you>', /A < that starts no tag/, 1, 1],
    ['<!-- a -->', /A < that starts no tag/, 1, 1],
    ['a <b', /A < that starts no tag/, 1, 3],
    ['<b>a', /<b> is never closed/, 1, 1],
    ['<b>'.repeat(65), /Tags must be nested at most 64 deep: close one before <b>/, 1, 193],
    [`<a href="${'x'.repeat(8_200)}">a</a>`, /A tag must have at most 8192 characters/, 1, 1],
    ['a\n<b><i>x</b></i>', /<\/b> closes the wrong tag: close <i> first/, 2, 8],
    ['a</b>', /<\/b> closes the wrong tag: no tag is open/, 1, 2],
    ['</br>', /<br> has no end tag/, 1, 1],
    ['<b>a</b x>', /<\/b> must not have attributes/, 1, 5],
    ['<b class="x">a</b>', /<b> must not have the attribute class/, 1, 1],
    ['<p style="x">a</p>', /<p> must not have the attribute style/, 1, 1],
    ['<span>a</span>', /<span> needs the attribute class/, 1, 1],
    ['<span class="red">a</span>', /class of <span> has an invalid value/, 1, 1],
    ['<a>{{name}}</a>', /<a> needs the attribute href/, 1, 1],
    ['<a href="">{{name}}</a>', /href of <a> has an invalid value/, 1, 1],
    ['<a href="x" href="y">a</a>', /are invalid/, 1, 1],
    ['<a href=https://x.org>a</a>', /are invalid: put quotes/, 1, 1],
    ['<tg-emoji emoji-id="{{id}}">x</tg-emoji>', /A value can be in text/, 1, 21],
    ['<{{tag}}>', /A value can be in text/, 1, 2],
    ['<a {{href}}>a</a>', /A value can be in text/, 1, 4],
    ['<a href={{href}}>a</a>', /A value can be in text/, 1, 9],
    ['<a href="javascript:{{v}}">a</a>', /not http, https, tg, mailto or tel/, 1, 21],
    ['{{#if a}}<b>{{/if}}x</b>', /One branch of this block ends inside a tag/, 1, 1],
    ['{{#if a}}<b>{{else}}<i>{{/if}}x</b>', /One branch of this block ends inside a tag/, 1, 1],
    ['{{#each a}}<b>{{/each}}', /One branch of this block ends inside a tag/, 1, 1],
  ])('with %j is refused on save', (source, message, line, column) => {
    expect(catchTemplateError(source)).toMatchObject({
      message: expect.stringMatching(message),
      line,
      column,
    });
  });
});
