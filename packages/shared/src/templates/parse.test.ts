import type { TemplateNode } from './nodes';
import { parseTemplate } from './parse';
import { TemplateError } from './template-error';

function listPrints(nodes: readonly TemplateNode[]): Extract<TemplateNode, { kind: 'print' }>[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'block') return node.branches.flatMap(listPrints);
    return node.kind === 'print' ? [node] : [];
  });
}

function getError(source: string): TemplateError {
  try {
    parseTemplate(source);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`expected a TemplateError: ${source}`);
}

describe('parseTemplate', () => {
  test('keeps the source, and records line and column of nodes', () => {
    const template = parseTemplate('Hi {{name}},\n  {{{note}}}!');
    expect(template.source).toBe('Hi {{name}},\n  {{{note}}}!');
    expect(template.nodes).toMatchObject([
      { kind: 'text', text: 'Hi ', line: 1, column: 1 },
      { kind: 'print', id: 0, isRaw: false, line: 1, column: 4 },
      { kind: 'text', text: ',\n  ', line: 1, column: 12 },
      { kind: 'print', id: 1, isRaw: true, line: 2, column: 3 },
      { kind: 'text', text: '!', line: 2, column: 13 },
    ]);
  });

  test('numbers prints in source order, including those of an inverted block', () => {
    const source = '{{a}}{{^if b}}{{c}}{{else}}{{d}}{{/if}}{{#each e}}{{f}}{{else}}{{&g}}{{/each}}';
    const prints = listPrints(parseTemplate(source).nodes).sort((a, b) => a.id - b.id);
    expect(prints.map(({ id, column }) => [id, source.slice(column + 1, column + 2)])).toEqual([
      [0, 'a'],
      [1, 'c'],
      [2, 'd'],
      [3, 'f'],
      [4, '&'],
    ]);
    expect(prints.map(({ isRaw }) => isRaw)).toEqual([false, false, false, false, true]);
  });

  test('gives each block two branches; an else if is a block in the second', () => {
    const { nodes } = parseTemplate('{{#if a}}A{{else if b}}B{{/if}}{{#with c}}C{{/with}}');
    expect(nodes).toMatchObject([
      {
        kind: 'block',
        name: 'if',
        branches: [
          [{ text: 'A' }],
          [{ kind: 'block', name: 'if', column: 11, branches: [[{ text: 'B' }], []] }],
        ],
      },
      { kind: 'block', name: 'with', column: 32, branches: [[{ text: 'C' }], []] },
    ]);
  });

  test('joins text around comments and escaped tags', () => {
    expect(parseTemplate('a{{! x }}b\\{{c}}d').nodes).toMatchObject([
      { kind: 'text', text: 'ab{{c}}d', line: 1, column: 1 },
    ]);
  });

  test('returns a frozen tree', () => {
    const { nodes } = parseTemplate('{{#if a}}{{b}}{{/if}}');
    expect(Object.isFrozen(nodes) && Object.isFrozen(nodes[0])).toBe(true);
    expect(listPrints(nodes).every(Object.isFrozen)).toBe(true);
  });

  test('counts any kind of line break as a new line', () => {
    const places = listPrints(parseTemplate('a\r\n{{b}}\r{{c}}\n\n {{d}}').nodes);
    expect(places.map(({ line, column }) => [line, column])).toEqual([
      [2, 1],
      [3, 1],
      [5, 2],
    ]);
  });
});

describe('the paths of a template', () => {
  test.each([
    ['{{user_name}} {{a.b}} {{user_name}}', ['user_name', 'a.b']],
    ['{{a/b}} {{this.c}} {{./d}} {{@root.e}}', ['a.b', 'c', 'd', 'e']],
    ['{{user.[first name]}} {{"first name"}} {{[a]}}', ['user.[first name]', '[first name]', 'a']],
    ['{{list.[0]}} {{list.1.x}} {{list.length}}', ['list.0', 'list.1.x', 'list.length']],
    ['{{#if a}}{{b}}{{else if c}}{{d}}{{/if}}', ['a', 'b', 'c', 'd']],
    [
      '{{#each order.items}}{{name}} {{../note}} {{this}} {{@index}} {{@root.x}}{{/each}}',
      ['order.items', 'order.items[].name', 'note', 'order.items[]', 'x'],
    ],
    ['{{#each a as |item index|}}{{item.b}} {{index}}{{/each}}', ['a', 'a[].b']],
    [
      '{{#with user as |u|}}{{name}} {{u.age}} {{../x}}{{/with}}',
      ['user', 'user.name', 'user.age', 'x'],
    ],
    [
      '{{#each rows}}{{#each this}}{{x}} {{../../y}}{{/each}}{{/each}}',
      ['rows', 'rows[]', 'rows[][].x', 'y'],
    ],
    ['{{this}} {{#each this}}{{a}}{{/each}}', ['this', 'this[].a']],
    ['{{#each a}}{{b}}{{else}}{{c}}{{/each}}', ['a', 'a[].b', 'c']],
    ["{{#if (and (gt a 1) (not b))}}{{default c 'x'}}{{/if}}", ['a', 'b', 'c']],
    ['{{#each (default a b)}}{{c}}{{/each}}', ['a', 'b', 'a[].c']],
    ['{{#with (json a)}}{{b}}{{/with}}', ['a']],
    ['{{#if a includeZero=b}}{{/if}}', ['a', 'b']],
    ['{{../above}} {{!c}} \\{{d}}', []],
  ])('%s', (source, paths) => {
    expect(parseTemplate(source).paths).toEqual(paths);
  });
});

test('a path that is too long to display is omitted from the list', () => {
  const source = `{{#each ${'a'.repeat(400)}}}{{b}}{{${'c'.repeat(400)}}}{{/each}}`;
  expect(parseTemplate(source).paths.map((path) => path.length)).toEqual([400, 404]);
});

describe('errors of a template', () => {
  test.each<[string, string, [number, number], string]>([
    ['partial', 'a\n {{> footer}}', [2, 2], 'Partials are not supported'],
    ['partial block', '{{#> layout}}x{{/layout}}', [1, 1], 'Partials are not supported'],
    ['decorator', 'ab{{* x}}', [1, 3], 'Decorators are not supported'],
    ['decorator block', '{{#*inline "x"}}{{/inline}}', [1, 1], 'Decorators are not supported'],
    ['raw block', '{{{{raw}}}}x{{{{/raw}}}}', [1, 1], 'Raw blocks are not supported'],
    ['unknown helper', '\n\n  {{shout name}}', [3, 3], 'no helper shout'],
    ['unknown helper inside', '{{upper (shout a)}}', [1, 9], 'no helper shout'],
    ['name with a space', '{{first name}}', [1, 1], 'square brackets'],
    ['path with an argument', '{{a.b c}}', [1, 1], 'Only a helper takes arguments'],
    ['unknown block', 'x{{#items}}y{{/items}}', [1, 2], 'no block items'],
    ['inverted section', '{{^items}}y{{/items}}', [1, 1], 'no block items'],
    ['plural without other', '\n {{plural n one="a"}}', [2, 2], 'add other='],
    ['plural without forms', '{{plural n}}', [1, 1], 'add other='],
    [
      'unknown plural form',
      '{{plural n other="a" fw="b"}}',
      [1, 22],
      'no fw=: its named arguments are zero',
    ],
    ['plural form twice', '{{plural n other="a" other="b"}}', [1, 22], 'other= twice'],
    ['plural of a word', '{{plural "n" other="a"}}', [1, 1], 'count must be a number'],
    ['plural of two', '{{plural n m other="a"}}', [1, 1], 'write (plural count'],
    ['names on another helper', '{{upper n one="a"}}', [1, 11], 'upper has no named arguments'],
    ['block as a helper', '{{each items}}', [1, 1], 'each is a block'],
    ['named argument', '{{upper a b=1}}', [1, 11], 'no named arguments'],
    [
      'named argument of a block',
      '{{#each a limit=3}}{{/each}}',
      [1, 11],
      'no named argument limit',
    ],
    ['includeZero on with', '{{#with a includeZero=true}}{{/with}}', [1, 11], 'includeZero'],
    ['only a named argument', '{{a=1}}', [1, 4], 'No named argument'],
    ['block without a value', '{{#if}}a{{/if}}', [1, 1], '#if takes one value'],
    ['block with two values', '{{#if a b}}a{{/if}}', [1, 1], '(eq left right)'],
    ['block parameter of if', '{{#if a as |b|}}{{/if}}', [1, 1], 'block parameters'],
    ['three block parameters', '{{#each a as |b c d|}}{{/each}}', [1, 1], 'block parameters'],
    ['too few arguments', '{{eq a}}', [1, 1], '(eq left right)'],
    ['too many arguments', '{{upper a b}}', [1, 1], '(upper text)'],
    ['unknown zone', "{{date x 'long' 'Mars/Base'}}", [1, 1], 'zone must be a time zone'],
    ['unknown style', "{{date x 'huge'}}", [1, 1], 'style must be full, long'],
    ['style from the data', '{{date x style}}', [1, 1], 'style must be in quotes'],
    ['unknown language', "{{date x 'long' 'UTC' 'xx-none'}}", [1, 1], 'locale must be a language'],
    ['invalid date', "{{date '2024-02-30'}}", [1, 1], 'value must be a date'],
    ['invalid number', "{{number 'ten'}}", [1, 1], 'value must be a number'],
    ['digits out of range', '{{number x 21}}', [1, 1], 'from 0 to 20'],
    ['unknown @ name', '{{@foo}}', [1, 3], 'root, index, key'],
    ['path after a helper', '{{(default a b).c}}', [1, 3], '{{#with'],
    ['path that turns back', '{{a.this}}', [1, 3], 'is not a path'],
    ['block closed by another name', '{{#if a}}{{/each}}', [1, 4], 'close it with {{/if}}'],
    ['block never closed', 'a{{#if a}}{{#each b}}{{/each}}', [1, 2], 'never closed'],
    ['close without a block', 'a{{/if}}', [1, 2], 'not open'],
    ['else without a block', '{{else}}', [1, 1], 'inside a block'],
    ['two else', '{{#if a}}{{else}}{{else}}{{/if}}', [1, 18], 'one else'],
    ['else if after else', '{{#if a}}{{else}}{{else if b}}{{/if}}', [1, 18], 'as its last part'],
    ['tag never closed', 'a {{name', [1, 3], 'end it with }}'],
    ['comment never closed', 'a {{!-- x }}', [1, 3], 'comment is never closed'],
    ['quote never closed', "{{upper 'a}}", [1, 9], 'quote is never closed'],
    ['bracket never closed', '{{[a}}', [1, 3], 'bracket is never closed'],
    ['empty brackets', '{{[]}}', [1, 3], 'between the square brackets'],
    ['tag in a tag', '{{a {{b}}}}', [1, 5], 'cannot contain another'],
    ['sign in a tag', '{{a + b}}', [1, 5], '+ is not allowed'],
    ['private separator', '{{a.#b}}', [1, 5], '# is not allowed'],
    ['empty tag', 'x{{}}', [1, 4], 'add a name'],
    ['three braces closed by two', '{{{a}}', [1, 5], 'ends too early'],
    ['two braces closed by three', '{"a":{{b}}}', [1, 9], 'put a space'],
    ['four closing braces', '{{{a}}}}', [1, 5], 'put a space'],
    ['parenthesis that closes nothing', '{{a)}}', [1, 4], 'closes nothing'],
    ['parenthesis never closed', '{{upper (lower a}}', [1, 17], 'close what it opens'],
    [
      'bracketed block parameter',
      '{{#each a as |[b]|}}{{/each}}',
      [1, 15],
      'without square brackets',
    ],
    ['else if after ^', '{{^if a}}{{else if b}}{{/if}}', [1, 10], 'no else if'],
    ['no space before an argument', '{{upper(lower a)}}', [1, 8], 'Put a space before the ('],
    [
      'argument after a named argument',
      '{{#if a includeZero=true b}}{{/if}}',
      [1, 26],
      'is not allowed here',
    ],
    ['number in a path', '{{list.0}}', [1, 8], 'list.[0]'],
    ['U+0000', 'a\0b', [1, 2], 'U+0000'],
    ['number beyond all', `{{upper ${'9'.repeat(400)}}}`, [1, 9], 'too large'],
  ])('%s', (_name, source, place, message) => {
    const error = getError(source);
    expect([error.line, error.column]).toEqual(place);
    expect(error.message).toContain(message);
  });

  test('an error message truncates a long name', () => {
    expect(getError(`{{${'x'.repeat(50_000)} y}}`).message.length).toBeLessThan(400);
  });
});
