import { parseTemplate, type renderTemplate } from '@belfry/shared';
import { isFullRun, readRunSeed } from '@belfry/testing';
import fc from 'fast-check';
import { compile } from 'html-to-text';
import { createRendering, type Print } from '../rendering';
import { convertHtml } from './convert-html';
import { createHtmlEscape } from './html-context';

const seed = readRunSeed(20_261_130);
const runs = isFullRun() ? 20_000 : 500;

/** html-to-text alone, with its own links, on the HTML of one mail. */
const convertAlone = compile<undefined>({
  wordwrap: false,
  limits: { maxInputLength: 262_144, maxDepth: 256 },
  formatters: {
    description: (element, _walk, builder) => builder.addInline(element.attribs?.['alt'] ?? ''),
  },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'description' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
  ],
});

function render(source: string, data: Record<string, unknown>): { html: string; prints: Print[] } {
  const template = parseTemplate(source);
  const prints: Print[] = [];
  const field = { name: 'html', template, escape: createHtmlEscape(template) };
  // The data is JSON.
  const rendering = createRendering(data as Parameters<typeof renderTemplate>[1]);
  const html = rendering.text(field, undefined, (print) => prints.push(print));
  return { html, prints };
}

const names = ['a', 'b', 'c'];
const value = fc.oneof(
  fc.constantFrom(
    'Ana',
    'Ana B',
    'https://x.example/1',
    'x',
    '1',
    'https://x.example/',
    'amp;',
    'lt;b',
    '#39;',
  ),
  fc.constantFrom(
    '',
    ' ',
    ' a',
    'a ',
    'a  b',
    'a\nb',
    '\u200b',
    '\u00a0',
    '#top',
    'mailto:a@x.example',
    'javascript:x',
  ),
  fc.constantFrom(
    '<b>',
    '&',
    '&amp;',
    '"',
    "'",
    '\uf8fe0\uf8ff',
    '\uf8ff',
    '[x]',
    '* ',
    '- a',
    '0',
    '$&',
    '\\1',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const print = fc.constantFrom(...names.map((name) => `{{${name}}}`), '{{{a}}}');
const literal = fc.constantFrom(
  ' ',
  '\n ',
  'Hello',
  '.',
  ': ',
  '&',
  '&amp;',
  '&#',
  '&copy',
  '&nbsp;',
  'https://x.example/',
  '<br>',
  '<hr>',
);
const link = fc.constantFrom(
  '{{a}}',
  '{{b}}',
  'https://x.example/{{c}}',
  'https://x.example/1',
  'mailto:{{a}}',
  '#{{b}}',
  '{{a}}{{b}}',
);
const inline = fc.array(fc.oneof(print, literal), { maxLength: 5 }).map((parts) => parts.join(''));
const { html: anyHtml } = fc.letrec<{ html: string }>((tie) => ({
  html: fc.oneof(
    { maxDepth: 4 },
    inline,
    fc.tuple(link, tie('html')).map(([href, innerHtml]) => `<a href="${href}">${innerHtml}</a>`),
    fc
      .tuple(inline, tie('html'))
      .map(
        ([alt, innerHtml]) =>
          `<img alt="${alt.replace(/<[bh]r>|\{\{\{a\}\}\}/g, '')}">${innerHtml}`,
      ),
    fc
      .tuple(
        fc.constantFrom(
          'p',
          'div',
          'h1',
          'b',
          'ul',
          'ol',
          'li',
          'td',
          'table',
          'pre',
          'blockquote',
          'span',
        ),
        tie('html'),
        tie('html'),
      )
      .map(([tag, innerHtml, after]) => `<${tag}>${innerHtml}</${tag}>${after}`),
    tie('html').map((innerHtml) => `<ol start="{{b}}"><li>${innerHtml}</li></ol>`),
    fc.tuple(tie('html'), tie('html')).map(([yes, no]) => `{{#if c}}${yes}{{else}}${no}{{/if}}`),
    tie('html').map((innerHtml) => `{{#each list}}<li>{{this}} ${innerHtml}</li>{{/each}}`),
    fc.tuple(tie('html'), tie('html')).map(([one, two]) => one + two),
  ),
}));

describe('the text of a mail that has only HTML', () => {
  test(`equals the converted HTML, whatever mails of the same template came before (seed ${seed})`, () => {
    const data = fc.record({
      a: value,
      b: value,
      c: value,
      list: fc.array(value, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(anyHtml, fc.array(data, { minLength: 2, maxLength: 4 }), (source, mails) => {
        for (const mail of mails) {
          const { html, prints } = render(source, mail);
          expect(convertHtml(html, prints)).toBe(convertAlone(html, undefined));
        }
      }),
      { seed, numRuns: runs },
    );
  });

  test('keeps template characters that look like the marks of values', () => {
    const { html, prints } = render('<p>\uf8fe0\uf8ff {{name}}</p>', { name: 'Ana' });
    expect(convertHtml(html, prints)).toBe('\uf8fe0\uf8ff Ana');
  });

  test('has the values of each mail', () => {
    const source = '<h1>Order {{id}}</h1><p>Dear {{name}}, <a href="{{url}}">pay</a></p>';
    const mails = ['Ana', 'Bo', 'Cy D'].map((name, id) => ({
      id,
      name,
      url: `https://x.example/${id}`,
    }));
    const texts = mails.map((mail) => {
      const { html, prints } = render(source, mail);
      return convertHtml(html, prints);
    });
    expect(texts).toEqual(
      mails.map(({ id, name, url }) => `Order ${id}\n\nDear ${name}, pay [${url}]`),
    );
  });

  test('writes an address once when it equals its link text, in this mail or the one before', () => {
    const source = '<a href="{{url}}">{{shown}}</a>';
    const mails = [
      ['https://x.example', 'here', 'here [https://x.example]'],
      ['https://x.example', 'https://x.example', 'https://x.example'],
      ['https://y.example/ab', 'https://y.example/a b', 'https://y.example/a b'],
      ['https://y.example', 'https://x.example', 'https://x.example [https://y.example]'],
    ];
    for (const [url, label, text] of mails) {
      const { html, prints } = render(source, { url, shown: label });
      expect(convertHtml(html, prints)).toBe(text);
    }
  });
});
