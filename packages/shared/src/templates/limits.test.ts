import { parseTemplate } from './parse';

function nested(
  open: string,
  content: string,
  { close, levels }: { close: string; levels: number },
): string {
  return open.repeat(levels) + content + close.repeat(levels);
}

describe('the limits of a template', () => {
  test.each<[string, string, string]>([
    ['characters', 'x'.repeat(65_536), 'x'.repeat(65_537)],
    ['tags', '{{a}}'.repeat(1_000), '{{a}}'.repeat(1_001)],
    ['escaped tags', '\\{{a '.repeat(1_000), '\\{{a '.repeat(1_001)],
    ['names and signs', '{{a.b}}'.repeat(1_000), '{{a.b.c}}'.repeat(601)],
    [
      'levels of blocks',
      nested('{{#if a}}', '', { close: '{{/if}}', levels: 32 }),
      nested('{{#if a}}', '', { close: '{{/if}}', levels: 33 }),
    ],
    [
      'levels of parentheses',
      `{{not ${nested('(not ', 'a', { close: ')', levels: 32 })}}}`,
      `{{not ${nested('(not ', 'a', { close: ')', levels: 33 })}}}`,
    ],
    [
      'parts of a block',
      `{{#if a}}${'{{else if a}}'.repeat(126)}{{else}}{{/if}}`,
      `{{#if a}}${'{{else if a}}'.repeat(127)}{{else}}{{/if}}`,
    ],
    ['steps of a path', `{{../${'a.'.repeat(30)}a}}`, `{{../${'a.'.repeat(31)}a}}`],
    ['choices', `{{or ${'a '.repeat(16)}}}`, `{{or ${'a '.repeat(17)}}}`],
  ])('%s', (_name, largest, tooLarge) => {
    expect(parseTemplate(largest).source).toBe(largest);
    expect(() => parseTemplate(tooLarge)).toThrow(/at most|longer than|Wrong number of arguments/);
  });

  test('text outside of tags does not count', () => {
    const text = '(((('.repeat(100) + '[[[['.repeat(500) + '{ { } }'.repeat(100);
    expect(parseTemplate(text).nodes).toMatchObject([{ kind: 'text', text }]);
  });

  test('parentheses side by side do not add up', () => {
    const sixteen = `(or ${'(not a) '.repeat(16)})`;
    const source = `{{or ${sixteen} ${sixteen} ${sixteen}}}`;
    expect(parseTemplate(source).nodes).toHaveLength(1);
  });

  test('two backslashes before a tag do not escape it', () => {
    expect(() => parseTemplate(`\\\\{{a ${'('.repeat(40)}`)).toThrow('Parentheses can nest');
  });

  test('blocks side by side do not add up', () => {
    const source = '{{#if a}}{{else if b}}{{else}}{{/if}}'.repeat(70);
    expect(parseTemplate(source).nodes).toHaveLength(70);
  });
});

describe('text that looks like the end of a tag', () => {
  test.each([
    ["{{default a '}}'}}", 'braces in a text'],
    ['{{default a "{{b}}"}}', 'a tag in a text'],
    ['{{[a}}b]}}', 'braces in a name'],
    ['{{!-- a }} b {{c}} --}}', 'braces in a comment'],
    ["{{! it's }}", 'a quote in a comment'],
    ['{{#if a}}{{else}}}}{{/if}}', 'braces after an else'],
    ["{{default a 'it\\'s'}}", 'an escaped quote'],
    ['{{[a\\]b]}}', 'an escaped bracket'],
    ['\\\\\\{{a}}', 'three backslashes before a tag'],
    ['\\{{{{a}}', 'an escaped tag before a tag'],
    [`{{default a "\\"${'('.repeat(40)}"}}`, 'parentheses after an escaped quote'],
    ['{{!--}}(((', 'the shortest comment'],
    ['{{!--~}}(((', 'the shortest comment that strips white space'],
  ])('%s parses: %s', (source) => {
    expect(parseTemplate(source).source).toBe(source);
  });
});

/** Each took the parser of Handlebars from 0.3 s to minutes, or overflowed its stack. */
describe('a source that would block a parser', () => {
  const size = 16 * 1024;
  test.each<[string, string]>([
    ['nested brackets', `{{${'['.repeat(size)}`],
    ['closed brackets', `{{${'['.repeat(size / 2)}${']'.repeat(size / 2)}}}`],
    ['nested parentheses', `{{a ${'('.repeat(size)}`],
    ['nested calls', `{{a ${'(a '.repeat(size / 4)}a${')'.repeat(size / 4)}}}`],
    ['nested named arguments', `{{a ${'a=(a '.repeat(size / 8)}a${')'.repeat(size / 8)}}}`],
    ['calls of calls', `{{${'('.repeat(size / 4)}a${' a)'.repeat(size / 4)}}}`],
    ['paths after calls', `{{${'('.repeat(size / 4)}a b${').c d'.repeat(size / 4)}}}`],
    ['names in brackets', `{{a ${'[a] '.repeat(size)}}}`],
    ['nested blocks', '{{#if a}}'.repeat(size / 8) + '{{/if}}'.repeat(size / 8)],
    ['nested blocks that are never closed', '{{#if a}}'.repeat(size / 8)],
    ['a chain of else if', `{{#if a}}${'{{else if b}}'.repeat(size / 8)}{{/if}}`],
    ['comments', '{{!----}}'.repeat(size / 4)],
    ['comments that are never closed', '{{!-- '.repeat(size)],
    ['opening braces', '{'.repeat(size)],
    ['tags in tags', '{{a '.repeat(size)],
    ['a path of 16 K steps', `{{${'a.'.repeat(size)}a}}`],
    ['steps up', `{{${'../'.repeat(size)}a}}`],
    ['raw blocks', '{{{{a}}}} '.repeat(size / 8)],
    ['a text that is never closed', `{{a "${'\\"'.repeat(size)}`],
  ])('is rejected within a second: %s', (_name, source) => {
    const startedAt = performance.now();
    expect(() => parseTemplate(source)).toThrow(expect.objectContaining({ name: 'TemplateError' }));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
