import type { Data } from '../data';
import { escapeHtml, escapeNothing } from './escapes';
import { parseTemplate } from './parse';
import { type RenderOptions, renderTemplate } from './render';

function render(source: string, data: Data = {}, options: Partial<RenderOptions> = {}) {
  return renderTemplate(parseTemplate(source), data, { escape: escapeNothing, ...options });
}

function renderText(source: string, data: Data = {}): string {
  const rendered = render(source, data);
  if ('failed' in rendered) throw new Error(rendered.detail);
  return rendered.text;
}

function listMissing(source: string, data: Data = {}): string[] {
  const rendered = render(source, data);
  if ('failed' in rendered) throw new Error(rendered.detail);
  return rendered.missing;
}

const items = [
  { name: 'a', tags: ['x', 'y'] },
  { name: 'b', tags: [] },
];

/** Each row was checked against Handlebars 4.7.10 without escaping. */
describe('renderTemplate behaves as Handlebars documents', () => {
  test.each<[string, Data, string]>([
    ['plain { text } } {', {}, 'plain { text } } {'],
    ['{{a}} {{ a }} {{{a}}} {{&a}}', { a: 'R&D' }, 'R&D R&D R&D R&D'],
    ['{{a.b}} {{a/b}} {{this.a.b}} {{./a.b}}', { a: { b: 1 } }, '1 1 1 1'],
    [
      '{{a-b}} {{[a b]}} {{"a b"}} {{12}} {{o.[x.y]}}',
      { 'a-b': 1, 'a b': 2, '12': 3, o: { 'x.y': 4 } },
      '1 2 2 3 4',
    ],
    ['{{list.[0]}} {{list.1.x}} {{list.length}}', { list: [0, { x: 'X' }] }, '0 X 2'],
    ['a{{! c }}b{{!-- {{c}} --}}d', {}, 'abd'],
    ['\\{{a}} \\\\{{a}}', { a: 1 }, '{{a}} \\1'],
    ['{{#if a}}yes{{else}}no{{/if}}', { a: 'x' }, 'yes'],
    ['{{#if a}}yes{{^}}no{{/if}}', {}, 'no'],
    ['{{^if a}}no{{else}}yes{{/if}}', { a: true }, 'yes'],
    ['{{#if a includeZero=true}}yes{{else}}no{{/if}}', { a: 0 }, 'yes'],
    ['{{#unless a}}no{{else}}yes{{/unless}}', { a: [] }, 'no'],
    ['{{#if a}}A{{else if b}}B{{else unless c}}C{{else}}D{{/if}}', { b: 1 }, 'B'],
    ['{{#if a}}A{{else if b}}B{{else unless c}}C{{else}}D{{/if}}', {}, 'C'],
    ['{{#if a}}A{{else if b}}B{{else unless c}}C{{else}}D{{/if}}', { c: 1 }, 'D'],
    ['{{#if a}}A{{else each b}}{{this}}{{else}}none{{/if}}', { b: [1, 2] }, '12'],
    ['{{#each a}}{{this}}{{.}},{{/each}}', { a: [1, 'x', true] }, '11,xx,truetrue,'],
    [
      '{{#each a}}{{@index}}{{@key}}{{@first}}{{@last}} {{/each}}',
      { a: ['x', 'y'] },
      '00truefalse 11falsetrue ',
    ],
    [
      '{{#each a}}{{@key}}={{this}}{{#unless @last}}, {{/unless}}{{/each}}',
      { a: { x: 1, y: 2 } },
      'x=1, y=2',
    ],
    ['{{#each a}}x{{else}}none{{/each}}', { a: [] }, 'none'],
    ['{{#each a}}x{{else}}none{{/each}}', { a: {} }, 'none'],
    ['{{#each a}}x{{else}}none{{/each}}', { a: 'text' }, 'none'],
    [
      '{{#each items}}{{name}}{{#each tags}}{{../name}}{{this}}{{../../n}}{{/each}};{{/each}}',
      { items, n: '!' },
      'aax!ay!;b;',
    ],
    ['{{#each items}}{{#if tags}}{{../n}}{{name}}{{/if}}{{/each}}', { items, n: '!' }, '!a'],
    [
      '{{#each items}}{{#each tags}}{{@../index}}{{@index}} {{/each}}{{/each}}',
      { items },
      '00 01 ',
    ],
    ['{{#each items}}{{#with name}}{{@index}}{{this}}{{/with}}{{/each}}', { items }, '0a1b'],
    ['{{#each items}}{{@root.n}}{{/each}}', { items, n: '!' }, '!!'],
    [
      '{{#each items as |item i|}}{{i}}{{item.name}}{{#each item.tags as |t|}}{{t}}{{i}}{{/each}}{{/each}}',
      { items },
      '0ax0y01b',
    ],
    ['{{#each o as |value key|}}{{key}}{{value}}{{/each}}', { o: { x: 1 } }, 'x1'],
    [
      '{{#each items as |name|}}{{name.name}}{{this.name}}{{../name.x}}{{/each}}',
      { items, name: { x: '!' } },
      'aa!bb!',
    ],
    ['{{#with a}}{{b}}{{../c}}{{else}}none{{/with}}', { a: { b: 1 }, c: 2 }, '12'],
    ['{{#with a}}{{b}}{{else}}none{{../c}}{{/with}}', { c: 2 }, 'none'],
    ['{{#with a as |x|}}{{x.b}}{{/with}}', { a: { b: 1 } }, '1'],
    ['{{#with a}}[{{this}}]{{/with}}', { a: 0 }, '[0]'],
    ['{{../a}}|{{@index}}|{{@key}}', { a: 1 }, '||'],
    ['{{eq}} {{date}} {{upper}}', { eq: 1, date: 2, upper: 3 }, '1 2 3'],
    ['{{null}}{{undefined}}{{true}}', { null: 1, undefined: 2, true: 3 }, '123'],
  ])('%j with %j', (source, data, text) => {
    expect(renderText(source, data)).toBe(text);
  });

  test.each<[string, string]>([
    ['a\n{{#if t}}\nb\n{{/if}}\nc', 'a\nb\nc'],
    ['a\n  {{#if t}}\n  b\n  {{/if}}  \nc', 'a\n  b\nc'],
    ['a\r\n{{#if t}}\r\nb\r\n{{else}}\r\nx\r\n{{/if}}\r\nc', 'a\r\nb\r\nc'],
    ['{{#if f}}\nA\n{{else if t}}\nB\n{{else}}\nC\n{{/if}}\nD', 'B\nD'],
    ['{{#each l}}\n- {{this}}\n{{/each}}\nend', '- 1\n- 2\nend'],
    ['a\n  {{! note }}  \nb', 'a\nb'],
    ['a\n{{t}}\nb', 'a\ntrue\nb'],
    ['a {{#if t}} b {{/if}} c', 'a  b  c'],
    ['a {{~t~}} b', 'atrueb'],
    ['a {{~#if t~}} b {{~else~}} c {{~/if~}} d', 'abd'],
    ['a \n {{~! x ~}} \n b', 'ab'],
    ['{{#each l~}}\n {{this}},\n{{~/each}}', '1,2,'],
  ])('strips the white space of %j', (source, text) => {
    expect(renderText(source, { t: true, f: false, l: [1, 2] })).toBe(text);
  });

  test.each<[string, Data[string], string]>([
    ['false', false, 'no'],
    ['null', null, 'no'],
    ['an empty string', '', 'no'],
    ['0', 0, 'no'],
    ['an empty list', [], 'no'],
    ['an empty object', {}, 'yes'],
    ['a text', '0', 'yes'],
    ['a list', [0], 'yes'],
    ['a number', -1, 'yes'],
  ])('%s has the same truthiness as in Handlebars', (_name, a, text) => {
    expect(renderText('{{#if a}}yes{{else}}no{{/if}}', { a })).toBe(text);
  });
});

describe('a printed value', () => {
  test.each<[string, Data[string], string]>([
    ['a text', 'x', 'x'],
    ['an empty string', '', ''],
    ['an integer', 42, '42'],
    ['a fraction', -0.5, '-0.5'],
    ['a large number', 1e21, '1e+21'],
    ['minus zero', -0, '0'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['null', null, ''],
    ['a list', [1, 'x', null], '[1,"x",null]'],
    ['an object', { a: { b: 1 } }, '{"a":{"b":1}}'],
    ['NaN', Number.NaN, ''],
    ['Infinity', Number.POSITIVE_INFINITY, ''],
  ])('%s', (_name, value, text) => {
    expect(renderText('{{a}}', { a: value })).toBe(text);
    expect(renderText('{{#each l}}{{this}}{{/each}}', { l: [value] })).toBe(text);
  });

  test('is never parsed as a template', () => {
    const data = { a: '{{b}} {{#each c}} {{{d}}} \\{{e}} {{!', b: 'never' };
    expect(renderText('{{a}}{{{a}}}{{upper a}}', data)).toBe(
      data.a + data.a + data.a.toUpperCase(),
    );
  });

  test('counts as missing if it is nested too deeply for JSON', () => {
    let deep: Data = {};
    for (let level = 0; level < 50_000; level += 1) deep = { deep };
    expect(render('[{{deep}}{{json deep}}]', deep)).toEqual({ text: '[]', missing: ['deep'] });
  });
});

test('the block parameters of an inverted block name its iterations', () => {
  expect(renderText('{{^each l as |x|}}none{{else}}{{x}}{{/each}}', { l: [1, 2] })).toBe('12');
});

describe('escape', () => {
  test('is called once for each printed value, with the node that prints it', () => {
    const calls: unknown[] = [];
    const rendered = render(
      '<b>{{a}} {{{b}}}{{#each c}}{{this}}{{/each}}{{d}}{{e}}',
      { a: 'x', b: 1, c: [true, []], d: null },
      {
        escape: (value, { id, isRaw }) => {
          calls.push([value, id, isRaw]);
          return '*';
        },
      },
    );
    expect(rendered).toEqual({ text: '<b>* ***', missing: ['e'] });
    expect(calls).toEqual([
      ['x', 0, false],
      ['1', 1, true],
      ['true', 2, false],
      ['[]', 2, false],
    ]);
  });

  test('is not called for the text of the template', () => {
    expect(render('<a href="?a&b">{{x}}</a>', { x: '<' }, { escape: escapeHtml })).toEqual({
      text: '<a href="?a&b">&lt;</a>',
      missing: [],
    });
  });
});

describe('missing paths', () => {
  test.each<[string, Data, string[]]>([
    ['{{a}} {{a}} {{b.c}}', {}, ['a', 'b.c']],
    ['{{a}} {{b}}', { a: null, b: '' }, []],
    [
      '{{this.a}} {{./a}} {{[a b]}} {{@root.x}} {{../y}}',
      {},
      ['this.a', './a', '[a b]', '@root.x', '../y'],
    ],
    ['{{#each l}}{{name}}{{/each}}', { l: [{}, {}, { name: 1 }] }, ['name']],
    ['{{#each l as |item|}}{{item.name}}{{/each}}', { l: [{}] }, ['item.name']],
    ['{{#if a}}{{b}}{{/if}}{{#unless a}}{{/unless}}', {}, []],
    ['{{#each a}}{{/each}}{{#with b}}{{/with}}', {}, ['a', 'b']],
    ['{{#each a}}{{else}}none{{/each}}{{#with b}}{{else}}none{{/with}}', {}, []],
    ['{{#each a}}{{/each}}{{#with b}}{{/with}}', { a: null, b: null }, []],
    ['{{upper a}} {{length b}} {{json c}} {{join d}}', {}, ['a', 'b', 'c', 'd']],
    ['{{upper a}} {{number a}} {{date a}} {{length a}} {{join a}}', { a: null }, []],
    ["{{default a 'x'}} {{or b c 'y'}} {{eq d e}} {{not f}}", {}, []],
    ['{{default a b}} {{or c d}}', {}, ['a', 'b', 'c', 'd']],
    ['{{default a b}}', { b: 1 }, []],
    ["{{date a}} {{date b 'long' c}}", { a: 'soon', b: 0 }, ['a', 'c']],
    ["{{date a 'long' zone}}", { a: 0, zone: 'Mars/Base' }, ['a', 'zone']],
    ['{{number a}} {{length b}}', { a: 'ten', b: {} }, ['a', 'b']],
    ['{{@index}} {{@key}}', {}, ['@index', '@key']],
  ])('%s with %j', (source, data, missing) => {
    expect(listMissing(source, data)).toEqual(missing);
  });
});

describe('own properties', () => {
  test.each([
    'constructor',
    '__proto__',
    'toString',
    'a.constructor',
    'a.__proto__.x',
    'text.length',
    'text.0.x',
    'list.push',
    'list.map.name',
    'list.01.x',
    'list.-1.x',
    'number.toFixed',
    '@root.constructor',
  ])('{{%s}} reads no inherited property', (path) => {
    const data = { a: {}, text: 'abc', list: [1], number: 1 };
    expect(render(`{{${path}}}`, data)).toEqual({ text: '', missing: [path] });
    expect(renderText(`{{#if ${path}}}yes{{/if}}{{#with ${path}}}yes{{/with}}`, data)).toBe('');
  });

  test('a member with any name is read', () => {
    const data: Data = JSON.parse('{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3}');
    expect(renderText('{{__proto__.x}}{{constructor}}{{hasOwnProperty}}', data)).toBe('123');
  });

  test('the length of a list is readable, as in Handlebars', () => {
    expect(renderText('{{#if list.length}}{{list.length}}{{/if}}', { list: [1, 2] })).toBe('2');
  });
});

const tooComplex =
  'Rendering the templates with this data exceeds the limit of work per message. Use fewer loops, shorter lists or shorter texts.';

describe('the limits of rendering', () => {
  test('output over the limit fails; output of exactly the limit does not', () => {
    expect(render('ab{{c}}', { c: 'c' }, { maxOutputLength: 3 })).toEqual({
      text: 'abc',
      missing: [],
    });
    expect(render('ab{{c}}', { c: 'cd' }, { maxOutputLength: 3 })).toEqual({
      failed: 'too_long',
      detail: 'The text is longer than 3 characters.',
    });
  });

  test('the default limit is 256 K characters', () => {
    expect(renderText('{{a}}', { a: 'x'.repeat(262_144) })).toHaveLength(262_144);
    expect(render('{{a}}!', { a: 'x'.repeat(262_144) })).toMatchObject({ failed: 'too_long' });
  });

  test('templates can share one budget', () => {
    const budget = { units: 1_000 };
    const data = { a: Array(100).fill(1) };
    expect(render('{{#each a}}{{/each}}', data, { budget })).toMatchObject({ text: '' });
    expect(budget.units).toBeLessThan(1_000);
    const outcomes = [1, 2, 3, 4].map(() => render('{{#each a}}{{/each}}', data, { budget }));
    expect(outcomes.at(-1)).toEqual({ failed: 'too_complex', detail: tooComplex });
    // Once used up, it fails for the cheapest template too.
    expect(render('{{x}}', {}, { budget })).toMatchObject({ failed: 'too_complex' });
  });

  const zones = Intl.supportedValuesOf('timeZone').slice(0, 150);
  const list = Array.from({ length: 50_000 }, (_, index) => index);
  test.each<[string, string, Data]>([
    ['many empty blocks', '{{#if x}}{{/if}}'.repeat(450), {}],
    [
      'comparing long texts',
      '{{#if (eq @root.b @root.c)}}{{/if}}',
      { b: 'x'.repeat(200_000), c: 'y' },
    ],
    ['long texts for nothing', '{{#if (upper @root.b)}}{{/if}}', { b: 'x'.repeat(200_000) }],
    ['long JSON for nothing', '{{#if (json @root.list)}}{{/if}}', {}],
    ['joining for nothing', "{{#if (join @root.e '')}}{{/if}}", { e: Array(50_000).fill('') }],
    ['dates for nothing', '{{#if (date this)}}{{/if}}'.repeat(3), {}],
    [
      'formats that push each other out',
      "{{#each @root.zones}}{{date 0 'long' this}}{{/each}}",
      { zones },
    ],
    ['zones that do not exist', "{{date 0 'long' (json this)}}", {}],
    ['walking a large object', '{{#each @root.object}}{{/each}}', { object: { ...list } }],
    ['long paths', `{{#if @root.${'a.'.repeat(30)}a}}{{/if}}`, {}],
    ['reports of missing paths', '{{or a b c d e f g h}}', {}],
  ])('the work is limited: %s', (_name, inner, data) => {
    expect(render(`{{#each list}}${inner}{{/each}}`, { list, ...data })).toEqual({
      failed: 'too_complex',
      detail: tooComplex,
    });
  });

  test.each<[string, string, Data]>([
    [
      'joining with a long separator',
      `{{and ${'(join list sep) '.repeat(12)}}}`,
      { list: Array(100_000).fill(0), sep: 's'.repeat(5_300) },
    ],
    [
      'joining what was joined',
      "{{#if (eq (join list (join list (join list 'x'))) 1)}}{{/if}}",
      { list: Array(500).fill('ab') },
    ],
  ])('a text over the budget is never created: %s', (_name, source, data) => {
    expect(render(source, data)).toMatchObject({ failed: 'too_complex' });
  });

  test('a long plain table is within the limits', () => {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({
      id,
      name: `row ${id}`,
      at: id * 1e9,
    }));
    const source =
      '{{#each rows}}<tr><td>{{id}}</td><td>{{upper name}}</td><td>{{date at}}</td></tr>{{/each}}';
    expect(renderText(source, { rows })).toContain('<td>ROW 999</td>');
  });
});
