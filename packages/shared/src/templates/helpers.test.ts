import type { Data } from '../data';
import { escapeNothing } from './escapes';
import { helperNames } from './nodes';
import { parseTemplate } from './parse';
import { createParseBudget } from './parse-budget';
import { renderTemplate } from './render';

function render(source: string, data: Data, language?: string): string {
  const template = parseTemplate(source, createParseBudget(language));
  const rendered = renderTemplate(template, data, { escape: escapeNothing });
  return 'text' in rendered ? rendered.text : rendered.detail;
}

describe('helpers', () => {
  test.each<[string, Data, string]>([
    ["{{default a 'x'}}", { a: 'y' }, 'y'],
    ["{{default a 'x'}}", { a: '' }, 'x'],
    ["{{default a 'x'}}", { a: null }, 'x'],
    ["{{default a 'x'}}", {}, 'x'],
    ["{{default a 'x'}} {{default b 'x'}}", { a: 0, b: false }, '0 false'],
    ["{{default a (default b 'x')}}", { b: 'B' }, 'B'],

    ["{{eq a 1}} {{eq b '1'}} {{eq a '1'}}", { a: 1, b: '1' }, 'true true false'],
    ['{{eq a null}} {{eq a undefined}} {{eq b true}}', { a: null, b: true }, 'true false true'],
    ["{{ne a 'x'}} {{ne a 'y'}}", { a: 'x' }, 'false true'],

    ['{{gt a 2}} {{gt a 3}} {{lt a 4}} {{lt a 3}}', { a: 3 }, 'true false true false'],
    ["{{gt a 9}} {{gt '10' 9}} {{lt '10' '9'}}", { a: '10.5' }, 'true true true'],
    ["{{gt a 1}} {{lt a 1}} {{gt 'x' 1}}", { a: null }, 'false false false'],
    ['{{gt a b}} {{lt a b}}', { a: [2], b: [1] }, 'false false'],

    ["{{and a b}} {{and b a}} {{and b 'x' 'y'}}", { a: 0, b: 1 }, '0 0 y'],
    ['[{{and a b}}]', { a: null, b: 1 }, '[]'],
    ["{{or a b}} {{or a c}} {{or a '' 'y'}}", { a: 0, b: 1, c: [] }, '1 [] y'],
    ['{{not a}} {{not b}} {{not c}}', { a: 0, b: 'x', c: [] }, 'true false true'],
    ['{{#if (and a (not b) (or c d))}}yes{{/if}}', { a: 1, d: 1 }, 'yes'],

    ['{{upper a}} {{lower a}}', { a: 'Straße' }, 'STRASSE straße'],
    [
      '{{upper a}} {{upper b}} [{{upper c}}]',
      { a: true, b: { x: 'y' }, c: null },
      'TRUE {"X":"Y"} []',
    ],

    [
      '{{json a}} {{json b}} {{json c}}',
      { a: 'x"', b: [1, null], c: null },
      '"x\\"" [1,null] null',
    ],

    ['{{number a}} {{number a 2}} {{number a 0}}', { a: 1234.567 }, '1,234.567 1,234.57 1,235'],
    ["{{number a 2 'de'}} {{number a 2 'fr'}}", { a: '1234567.8' }, '1.234.567,80 1 234 567,80'],
    ['{{number a 2}} {{number b}}', { a: -0.001, b: -2 }, '0.00 -2'],
    ['{{number a b}}', { a: 1.25, b: 1 }, '1.3'],
    [
      '[{{number a}}{{number b}}{{number c}}{{number d b}}]',
      { a: 'ten', b: '', c: [1], d: 1 },
      '[]',
    ],

    ['{{date a}}', { a: 0 }, 'Jan 1, 1970'],
    ["{{date a 'long' 'Europe/Berlin'}}", { a: 1_700_003_600_000 }, 'November 15, 2023'],
    ["{{date a 'long'}}", { a: 1_700_003_600_000 }, 'November 14, 2023'],
    ["{{date a 'short short' 'Europe/Berlin'}}", { a: '2024-03-31T00:30:00Z' }, '3/31/24, 1:30 AM'],
    ["{{date a 'none short' 'Europe/Berlin'}}", { a: '2024-03-31T01:30:00Z' }, '3:30 AM'],
    ["{{date a 'full' 'UTC' 'de'}}", { a: '2024-05-01' }, 'Mittwoch, 1. Mai 2024'],
    ["{{date a 'long' 'America/New_York'}}", { a: '2024-05-01' }, 'May 1, 2024'],
    ["{{date a 'short short'}}", { a: '2024-05-01 12:00' }, '5/1/24, 12:00 PM'],
    ["{{date a 'short short'}}", { a: '2024-05-01T12:00:00.123456+02:00' }, '5/1/24, 10:00 AM'],
    ["{{date a 'short' zone}}", { a: 0, zone: 'Asia/Tokyo' }, '1/1/70'],
    ["{{date a 'short' zone}}", { a: 0, zone: null }, '1/1/70'],
    ['[{{date a}}{{date b}}{{date c}}]', { a: 'soon', b: '2024-02-30', c: 9e15 }, '[]'],
    ['[{{date a}}{{date b}}{{date c}}]', { a: null, b: true, c: '2024-13-01T25:00Z' }, '[]'],
    ["[{{date a 'long' zone}}]", { a: 0, zone: 5 }, '[]'],

    ['{{length a}} {{length b}} [{{length c}}]', { a: [1, 2], b: 'abc', c: {} }, '2 3 []'],
    ['{{#if (gt (length a) 1)}}several{{/if}}', { a: [1, 2] }, 'several'],

    ['{{join a}}', { a: ['x', 1, null, true, { b: 1 }] }, 'x, 1, , true, {"b":1}'],
    ["{{join a ' / '}} {{join b}}", { a: ['x', 'y'], b: 'text' }, 'x / y text'],
    ["[{{join a ''}}] [{{join b}}]", { a: [], b: null }, '[] []'],
  ])('%s with %j', (source, data, text) => {
    expect(render(source, data)).toBe(text);
  });

  const everyForm = '{{plural n zero="z" one="o" two="t" few="f" many="m" other="x"}}';

  test.each<[string | undefined, string, string | number | null, string]>([
    [undefined, '{{plural n one="file" other="files"}}', 1, 'file'],
    ['en', '{{plural n one="file" other="files"}}', 0, 'files'],
    ['en', '{{plural n one="file" other="files"}}', '1', 'file'],
    ['en', '{{plural n one="file" other="files"}}', -1, 'file'],
    ['en', '{{plural n other="files" one="file"}}', 1, 'file'],
    ['en', '{{plural n other=@root.n}}', 7, '7'],
    ['en', '[{{plural n one=(upper n) other="x"}}]', '1', '[1]'],
    ['en', '[{{plural n one=absent other="x"}}]', 1, '[]'],
    ['en', '[{{plural n one="file" other="files"}}]', null, '[]'],
    ['en', '[{{plural n one="file" other="files"}}]', 'many', '[]'],
    ['en', '{{#if (eq (plural n one="a" other="b") "a")}}yes{{/if}}', 1, 'yes'],
    ['fr', everyForm, 0, 'o'],
    ['pl', everyForm, 2, 'f'],
    ['pl', everyForm, 5, 'm'],
    ['pl', everyForm, '1.5', 'x'],
    ['pl-PL', everyForm, 22, 'f'],
    ['ar', everyForm, 0, 'z'],
    ['ar', everyForm, 2, 't'],
    ['cy', everyForm, 3, 'f'],
    ['ja', everyForm, 1, 'x'],
    // A language with more categories than the template has forms.
    ['pl', '{{plural n one="plik" other="plików"}}', 3, 'plików'],
    // CLDR has no rules for Klingon; the machine's language must not be used.
    ['tlh', everyForm, 1, 'x'],
    ['no-tag!', everyForm, 1, 'x'],
  ])('in %s, %s with %j prints %j', (language, source, n, text) => {
    expect(render(source, { n }, language)).toBe(text);
  });

  test('plural reports a value that is not a number as missing', () => {
    const template = parseTemplate('{{plural n one="file" other="files"}}');
    const missingWith = (data: Data) =>
      renderTemplate(template, data, { escape: escapeNothing }) as { missing: string[] };
    expect(missingWith({ n: 'many' }).missing).toEqual(['n']);
    expect(missingWith({}).missing).toEqual(['n']);
    expect(missingWith({ n: null }).missing).toEqual([]);
  });

  test.each(helperNames)('a plain {{%s}} is a path', (name) => {
    expect(render(`{{${name}}} {{#if ${name}}}yes{{/if}}`, { [name]: 'x' })).toBe('x yes');
  });

  test('dates and numbers contain no narrow spaces, which would double the cost of an SMS', () => {
    const text = render("{{date a 'long short' 'UTC' 'fr'}} {{number b 2 'fr'}}", { a: 0, b: 1e6 });
    expect(text).toMatch(/^[\x20-\x7eà]+$/);
  });

  test('more formats than the cache holds give the same text', () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 150);
    // One message may create 29.
    const chunks = [0, 25, 50, 75, 100, 125].map((from) => zones.slice(from, from + 25));
    const source = "{{#each zones}}{{date 0 'short' this}} {{/each}}";
    const first = chunks.map((part) => render(source, { zones: part })).join('');
    expect(first.trim().split(' ')).toHaveLength(150);
    expect(chunks.map((part) => render(source, { zones: part })).join('')).toBe(first);
  });
});
