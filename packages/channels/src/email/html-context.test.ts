import { parseTemplate, renderTemplate, TemplateError } from '@belfry/shared';
import fc from 'fast-check';
import { createHtmlEscape } from './html-context';

const hostile = `R&D <b> "q" 'a'`;
const escaped = 'R&amp;D &lt;b&gt; &quot;q&quot; &#39;a&#39;';

function render(source: string, data: Record<string, string | null | boolean | string[]>): string {
  const template = parseTemplate(source);
  const rendered = renderTemplate(template, data, { escape: createHtmlEscape(template) });
  return 'text' in rendered ? rendered.text : rendered.failed;
}

describe('a value in the HTML of a mail', () => {
  test.each([
    ['text', '<p>{{v}}</p>', hostile, `<p>${escaped}</p>`],
    ['text with three braces', '<p>{{{v}}}</p>', hostile, `<p>${hostile}</p>`],
    ['a double-quoted attribute', '<p title="{{v}}">', hostile, `<p title="${escaped}">`],
    ['a single-quoted attribute', "<p title='{{v}}'>", hostile, `<p title='${escaped}'>`],
    ['an attribute with three braces', '<p title="{{{v}}}">', hostile, `<p title="${escaped}">`],
    ['a title', '<title>{{v}}</title>', hostile, `<title>${escaped}</title>`],
    [
      'a title with three braces',
      '<title>{{{v}}}</title>',
      '</title><script>',
      '<title>&lt;/title&gt;&lt;script&gt;</title>',
    ],
    ['text like a template', '<p>{{v}}</p>', '{{x}}', '<p>{{x}}</p>'],
    ['text after a comment', '<!-- > --><p>{{v}}</p>', hostile, `<!-- > --><p>${escaped}</p>`],
    ['text after an empty comment', '<!-->{{v}}', 'a', '<!-->a'],
    [
      'text after a style sheet',
      '<style>p > a {}</style>{{v}}',
      hostile,
      `<style>p > a {}</style>${escaped}`,
    ],
    ['text after a doctype', '<!DOCTYPE html><p>{{v}}</p>', 'a', '<!DOCTYPE html><p>a</p>'],
    ['text after an unquoted attribute', '<p class=x>{{v}}</p>', 'a', '<p class=x>a</p>'],
    ['text after a lone <', 'a < b {{v}}', 'c', 'a < b c'],
  ])('in %s is escaped once for its context', (_place, source, value, expected) => {
    expect(render(source, { v: value })).toBe(expected);
  });

  test.each([
    ['https://example.org/?a=1&b=2', 'https://example.org/?a=1&amp;b=2'],
    ['HTTP://example.org', 'HTTP://example.org'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
    ['tel:+12025550123', 'tel:+12025550123'],
    ['https://x/"onclick="', 'https://x/&quot;onclick=&quot;'],
    ['javascript:alert(1)', '#'],
    ['JaVaScRiPt:alert(1)', '#'],
    [' javascript:alert(1)', '#'],
    ['java\nscript:alert(1)', '#'],
    ['\u0001javascript:alert(1)', '#'],
    ['data:text/html,<script>', '#'],
    ['vbscript:x', '#'],
    ['//evil.example', '#'],
    ['/relative', '#'],
    ['example.org', '#'],
    ['', '#'],
  ])('at the start of a link, %j becomes %s', (value, expected) => {
    for (const attribute of ['href', 'src', 'action', 'background', 'formaction']) {
      expect(render(`<a ${attribute}="{{v}}">`, { v: value })).toBe(
        `<a ${attribute}="${expected}">`,
      );
    }
    expect(render("<A HREF = ' {{v}}'>", { v: value })).toBe(`<A HREF = ' ${expected}'>`);
    expect(render('<a href="{{{v}}}">', { v: value })).toBe(`<a href="${expected}">`);
  });

  test.each([
    ['<a href="https://x.org/{{v}}">', 'a:b', '<a href="https://x.org/a:b">'],
    ['<a href="/{{v}}">', 'javascript:x', '<a href="/javascript:x">'],
    ['<a href="java{{v}}">', 'script:alert(1)', '<a href="java#">'],
    ['<a href="{{w}}{{v}}">', 'script:alert(1)', '<a href="##">'],
    ['<a href="{{missing}}{{v}}">', 'javascript:alert(1)', '<a href="#">'],
    ['<a href="{{nothing}}{{v}}">', 'javascript:alert(1)', '<a href="#">'],
    ['<a href="{{base}}{{v}}">', '/path', '<a href="https://x.org/path">'],
    [
      '<a href="{{#if yes}}https://x.org{{else}}http://y.org{{/if}}{{v}}">',
      ':80',
      '<a href="https://x.org#">',
    ],
    ['<a href="{{#each list}}{{this}}{{/each}}">', '', '<a href="##">'],
  ])('inside the link %s cannot complete a scheme', (source, value, expected) => {
    const data = {
      v: value,
      w: 'java',
      nothing: null,
      base: 'https://x.org',
      yes: true,
      list: ['java', 'script:x'],
    };
    expect(render(source, data)).toBe(expected);
  });

  test.each([
    ['<a href={{v}}>', 'unquoted attribute', 1, 9],
    ['<a href=x{{v}}>', 'unquoted attribute', 1, 10],
    ['<a\n  {{v}}>', 'attribute name', 2, 3],
    ['<a {{v}}="x">', 'attribute name', 1, 4],
    ['<a x{{v}}="x">', 'attribute name', 1, 5],
    ['<{{v}}>', 'tag name', 1, 2],
    ['<a{{v}}>', 'tag name', 1, 3],
    ['</{{v}}>', 'tag name', 1, 3],
    ['<!-- {{v}} -->', 'comment', 1, 6],
    ['<!-- > {{v}} -->', 'comment', 1, 8],
    ['<!{{v}}>', 'comment', 1, 3],
    ['<?x {{v}}?>', 'comment', 1, 5],
    ['<style>{{v}}</style>', '<style>', 1, 8],
    ['<script>var x = "{{v}}"</script>', '<script>', 1, 18],
    ['<script><!--<script></script>{{v}}</script>', '<plaintext>', 1, 30],
    ['<iframe>{{v}}</iframe>', '<iframe>', 1, 9],
    ['<noscript>{{v}}</noscript>', '<noscript>', 1, 11],
    ['<p style="color: {{v}}">', 'style attribute', 1, 18],
    ['<p onclick="f(\'{{v}}\')">', 'onclick', 1, 16],
    ['<p ONERROR="{{v}}">', 'onerror', 1, 13],
    ['<iframe srcdoc="{{v}}">', 'srcdoc', 1, 17],
    ['<meta http-equiv="refresh" content="0;url={{v}}">', '<meta>', 1, 43],
    ['<a href="javascript:f(\'{{v}}\')">', 'not http', 1, 24],
    ['<p {{#if a}}on{{/if}}click="{{v}}">', 'depends on a block', 1, 29],
  ])('in %s is refused on save', (source, message, line, column) => {
    const template = parseTemplate(source);
    const refusal = (() => {
      try {
        createHtmlEscape(template);
        return undefined;
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(TemplateError);
    expect(refusal).toMatchObject({ message: expect.stringContaining(message), line, column });
  });

  test.each([
    '<p>{{#if a}}<b>{{else}}</b>{{/if}}{{v}}</p>',
    '<p {{#if a}}class="x"{{else}}id="y"{{/if}}>{{v}}</p>',
    '<option {{#if a}}selected{{/if}}>{{v}}</option>',
    '<a {{#if a}}href="https://x">{{else}}>{{/if}}{{v}}</a>',
    '<p title="{{#if a}}x{{else}}y{{/if}}{{v}}">',
    '<ul>{{#each list}}<li>{{this}}</li>{{/each}}</ul>{{v}}',
  ])('accepts %s, because both branches end in the same context', (source) => {
    expect(() => createHtmlEscape(parseTemplate(source))).not.toThrow();
  });

  test.each([
    '{{#if a}}<p title="{{/if}}{{v}}">',
    '{{#if a}}<b{{else}}<i{{/if}} title="x">',
    '{{#if a}}<!--{{/if}} {{v}}',
    '{{#if a}}<style>{{/if}}{{v}}</style>',
    '<p title={{#if a}}"x{{else}}\'x{{/if}}">',
    '{{#each list}}<p title="{{/each}}',
    '{{#each list}}<p title="{{else}}<p title="{{/each}}">',
  ])('refuses %s, because the branches end in different contexts', (source) => {
    expect(() => createHtmlEscape(parseTemplate(source))).toThrow(/ends inside a tag/);
  });

  test('never opens a tag or leaves its quotes, whatever it contains', () => {
    const source = '<p title="{{v}}">{{v}}</p><a href="{{v}}" title=\'{{v}}\'></a>';
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (value) => {
        const html = render(source, { v: value });
        expect(html.match(/[<>]/g)?.length).toBe(8);
        expect(html.match(/"/g)?.length).toBe(4);
        expect(html.match(/'/g)?.length).toBe(2);
      }),
    );
  });
});
