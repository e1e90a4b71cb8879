import { parseTemplate, renderTemplate } from '@belfry/shared';
import { createHeaderEscape, encodeHeaderValue } from './header-value';

function render(source: string, value: string): unknown {
  const template = parseTemplate(source);
  return renderTemplate(template, { v: value }, { escape: createHeaderEscape(template) });
}

describe('a value in a header', () => {
  test.each([
    [
      '<https://x.org/?u={{v}}>',
      'a>, <https://evil.org',
      '<https://x.org/?u=a%3E%2C%20%3Chttps://evil.org>',
    ],
    ['<https://x.org/?u={{v}}>', 'a&b=é', '<https://x.org/?u=a&b=%C3%A9>'],
    ['<mailto:u@x.org?subject={{v}}>', 'a "b"\r\n', '<mailto:u@x.org?subject=a%20%22b%22%0D%0A>'],
    ['{{v}} <list.x.org>', 'R&D, "news"', 'R&D, "news" <list.x.org>'],
    ['{{v}}', '<https://x.org/u>', '<https://x.org/u>'],
  ])('in %s, %j becomes %s', (source, value, text) => {
    expect(render(source, value)).toEqual({ text, missing: [] });
  });

  test('cannot be inside an angle address in one branch and outside of it in another', () => {
    expect(() => render('{{#if v}}<{{/if}}{{v}}>', 'a')).toThrow(/ends inside/);
  });
});

test.each([
  ['News <list.x.org>', 'News <list.x.org>'],
  ['Neuigkeiten für Sie <list.x.org>', '=?UTF-8?B?TmV1aWdrZWl0ZW4gZsO8ciBTaWU=?= <list.x.org>'],
  ['=?utf-8?q?x?=', '=?UTF-8?B?PT91dGYtOD9xP3g/PQ==?='],
  [
    'é'.repeat(30),
    `=?UTF-8?B?${Buffer.from('é'.repeat(15)).toString('base64')}?= =?UTF-8?B?${Buffer.from('é'.repeat(15)).toString('base64')}?=`,
  ],
])('the header %j is sent as %j', (value, encoded) => {
  expect(encodeHeaderValue(value)).toBe(encoded);
});
