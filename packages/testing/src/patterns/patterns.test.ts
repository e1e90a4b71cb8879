import path from 'node:path';
import { countMatchSteps } from '../steps/match-steps';
import { findPatterns, findPatternsInFile } from './find-patterns';
import { judgePattern } from './judge-pattern';

const root = path.resolve(__dirname, '../../../..');

function find(text: string) {
  return findPatternsInFile('a.ts', text).map(({ line, isSchema, pattern, ignored }) => ({
    line,
    isSchema,
    source: pattern?.source,
    ...(ignored === undefined ? {} : { ignored }),
  }));
}

describe('the patterns of a file', () => {
  test('are literals, calls of RegExp, and the patterns of schemas, each with its line', () => {
    const text = [
      'const one = /a+/g;',
      "const two = new RegExp('b+'), three = RegExp(`c+`);",
      "const schema = { pattern: '^d+$' };",
    ];
    expect(find(text.join('\n'))).toEqual([
      { line: 1, isSchema: false, source: 'a+' },
      { line: 2, isSchema: false, source: 'b+' },
      { line: 2, isSchema: false, source: 'c+' },
      { line: 3, isSchema: true, source: '^d+$' },
    ]);
  });

  test('are assembled from constants and functions of the file', () => {
    const text = `
      const label: string = '[a-z]+';
      const twice = (text: string) => text + text;
      function quoted(text: string) { return '"' + twice(text) + '"'; }
      const schema = Type.String({ pattern: \`^\${quoted(label)}$\` });`;
    expect(find(text)).toEqual([{ line: 5, isSchema: true, source: '^"[a-z]+[a-z]+"$' }]);
  });

  test('are unknown if they depend on other files', () => {
    const text = "import { a } from './a';\nconst one = new RegExp(a);";
    expect(find(text)).toEqual([{ line: 2, isSchema: false, source: undefined }]);
  });

  test('are ignored only with a reason directly above them', () => {
    const text = '// pattern-ignore: At most 9\n// characters.\nconst one = /a/;\nconst two = /b/;';
    expect(find(text)).toEqual([
      { line: 3, isSchema: false, source: 'a', ignored: 'At most 9 characters.' },
      { line: 4, isSchema: false, source: 'b' },
    ]);
  });
});

describe('the verdict', () => {
  test.each([
    [/\s+$/],
    [/^[^c]*[^\sc][^c]*$/],
    [/^(a+)+$/],
    [/^(?:\w{1,4096})?[\w-]*!$/],
    [/"(?:[^"\\]|\\.)*"/],
  ])('names an attack on %s', (pattern) => {
    expect(judgePattern(pattern)).toMatch(/^takes .+ time, for example on .+repeat\(\d+\)/);
  });

  test.each([[/(?<!\s)\s+$/], [/^(?!\s*$)[^c]*$/], [/^[a-z]{1,4096}$/], [/^[\w-]{43}[\w-]{22}$/]])(
    'finds none on %s',
    (pattern) => {
      expect(judgePattern(pattern)).toBeUndefined();
    },
  );
});

const pieces = [
  'a',
  'A',
  '0',
  ' ',
  '\n',
  '-',
  '.',
  '_',
  ':',
  '/',
  '@',
  '*',
  'a.',
  'a-',
  'a@',
  '0.',
  '=',
  'wamid.a',
];
const frames = [
  ['', ''],
  ['', '\n'],
  ['a', '!'],
  ['a0', '\u0000'],
  ['https://', ' '],
] as const;
const schemaPatterns = findPatterns(root)
  .filter(({ isSchema }) => isSchema)
  .map(({ file, line, pattern }) => ({ place: `${file}:${line}`, pattern }));

test('the sources have patterns of schemas', () => {
  expect(schemaPatterns.length).toBeGreaterThan(30);
});

test.each(schemaPatterns)(
  'the pattern of the schema at $place takes about ten times the steps for ten times the text',
  ({ pattern = { source: '', flags: '' } }) => {
    const compiled = new RegExp(pattern.source, pattern.flags);
    const growing = pieces.flatMap((piece) =>
      frames
        .map(
          ([before, after]) =>
            (times: number) =>
              before + piece.repeat(times) + after,
        )
        .filter((repeat) => {
          const [few, many] = [40, 400].map((times) => countMatchSteps(compiled, repeat(times), 0));
          return Number(many) > 15 * Number(few) + 1_000;
        })
        .map((repeat) => repeat(3)),
    );
    expect(growing).toEqual([]);
  },
);
