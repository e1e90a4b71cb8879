import { parse } from '@handlebars/parser';
import fc from 'fast-check';
import { createParseBudget } from './parse-budget';
import { parseSyntax } from './parse-syntax';
import type { SyntaxStatement } from './syntax';
import { TemplateError } from './template-error';
import { pickWord, soup } from './template-texts.fixture';

const isFull = process.env['TEST_FULL'] !== undefined;
const runs = { numRuns: isFull ? 20_000 : 1_000 };
const timeoutMs = isFull ? 600_000 : 60_000;

/** Concatenates texts. */
function sequence(...parts: (string | fc.Arbitrary<unknown>)[]): fc.Arbitrary<string> {
  const each = parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part));
  return fc.tuple(...each).map((texts) => texts.flat(9).join(''));
}

const blank = fc.constantFrom('', '', ' ', '\n', '\r\n', '\r', '\t', ' \n ', '\n\n', '\u00a0\v\n');
const text = fc.constantFrom('x', 'x\n', ' y', '🎉é', '{', '}', '{ }', '~', '\\', '\\\n', '[(|"');
const escaped = pickWord(
  '\\{{ \\{{a}} \\\\{{a}} \\\\\\{{a}} \\{{\\{{a \\{{\\\\{{a}} \\{{{a}}} \\{{{{a}} \\{{a\\\\\\{{b}}',
);
const tilde = fc.constantFrom('', '', '~');
const indent = fc.constantFrom('', '', '  ', '\t');
const lineEnd = fc.constantFrom('\n', '\n', '\r\n', ' \n', '', ' ');
const space = fc.constantFrom(' ', '  ', '\n', '\r\n\t', '\u3000');
const blockParams = fc.constantFrom('', '', ' as |x|', '\nas\t| x y |');

/** Templates of every construct in docs/reference/templates.md. Some combinations are malformed. */
const anyTemplate = fc.letrec<Record<'value' | 'call' | 'tag' | 'body' | 'rest', string>>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      pickWord(
        'a b.c a/b .. . this this.a ./a ../a ../../b.c @index @root.a @../key a.b.[c] 🎉 a..b',
      ),
      pickWord('1 -2 0.50 1a true false null undefined trueish else.x if as a.1.b - this.this $:?'),
      fc.constantFrom('[a b]', 'a.[b c].d', '[..]', '[a\\]b]', '[}}]', 'a .b', 'a/ b', 'list.[0]'),
      fc.constantFrom('"s"', "'t'", '"a\\"b"', "'a\\'b'", '"}}"', '"\n"', "'{{a}}'", '""'),
      sequence('(', tie('call'), ')'),
    ),
    call: sequence(
      tie('value'),
      fc.array(fc.tuple(space, tie('value')), { maxLength: 3 }),
      fc.array(fc.tuple(space, pickWord('k= [k]= as=\t ..= k\t='), tie('value')), { maxLength: 2 }),
    ),
    tag: fc.oneof(
      { depthSize: 'small' },
      text,
      escaped,
      sequence(pickWord('{{ {{~ {{&'), tie('call'), blank, tilde, '}}'),
      sequence(pickWord('{{{ {{~{'), tie('call'), blank, pickWord('}}} }~}}')),
      sequence('{{', tilde, '!', fc.constantFrom('x', '-x -', "it's {{a"), blank, tilde, '}}'),
      sequence('{{', tilde, '!--', pickWord('x }} {{a}} -'), blank, '--', tilde, '}}'),
      fc
        .tuple(
          pickWord('if each a.b [x] "s" 1 ../a @a'),
          sequence('{{', tilde, pickWord('# # ^')),
          sequence(
            ' ',
            tie('call'),
            blockParams,
            tilde,
            '}}',
            tie('body'),
            tie('rest'),
            '{{',
            tilde,
          ),
          tilde,
        )
        .map(([name, open, inner, close]) => `${open}${name}${inner}/${name}${close}}}`),
    ),
    body: sequence(fc.array(fc.tuple(blank, tie('tag'), blank), { maxLength: 4 })),
    rest: fc.oneof(
      { depthSize: 'small' },
      fc.constant(''),
      sequence('{{', tilde, pickWord('else ^'), tilde, '}}', tie('body')),
      sequence(
        '{{',
        tilde,
        'else if ',
        tie('call'),
        blockParams,
        tilde,
        '}}',
        tie('body'),
        tie('rest'),
      ),
    ),
  }),
).body;

/** Blocks and comments, most of them alone on their lines. */
const standaloneTemplate = fc.letrec<Record<'line' | 'lines' | 'rest', string>>((tie) => ({
  line: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('x\n', '\n', '\t{{a}}\n', 'y', ' '),
    sequence(indent, '{{', tilde, '! c ', tilde, '}}', lineEnd),
    sequence(
      ...[indent, '{{', tilde, pickWord('# # ^'), 'if a', tilde, '}}', lineEnd, tie('lines')],
      ...[tie('rest'), indent, '{{', tilde, '/if', tilde, '}}', lineEnd],
    ),
  ),
  lines: sequence(fc.array(tie('line'), { maxLength: 2 })),
  rest: fc.oneof(
    { depthSize: 'small' },
    fc.constant(''),
    sequence(indent, '{{', tilde, 'else', tilde, '}}', lineEnd, tie('lines')),
    sequence(indent, '{{', tilde, 'else if b', tilde, '}}', lineEnd, tie('lines'), tie('rest')),
  ),
})).lines;

/** Valid templates with one mistake inserted. */
const brokenTemplate = fc
  .tuple(
    anyTemplate,
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', '{', '}}', '(', '"', '.', ' ', '/', '='),
  )
  .map(([source, at, removed, added]) => {
    const from = at % (source.length + 1);
    return source.slice(0, from) + added + source.slice(from + removed);
  });

function parseOurs(source: string): SyntaxStatement[] | undefined {
  try {
    return parseSyntax(source, createParseBudget());
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function parseTheirs(source: string): Node | undefined {
  try {
    return parse(source) as unknown as Node;
  } catch {
    return undefined;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the library's types do not distinguish its nodes.
type Node = any;

/** Raw blocks, partials, decorators, private steps, `[]`, lists, a path after a call, block parameters in brackets. */
function isUnsupported(source: string, tree: Node): boolean {
  const unsupportedPattern =
    /"(?:Partial|Decorator)|"HashLiteral"|"parts":\[\{|"blockParams":\[[^\]]*"\[/;
  return /\{\{\{\{|\[\]|\.#/.test(source) || unsupportedPattern.test(JSON.stringify(tree));
}

/** Handlebars keeps the brackets of a name that contains a line break. No author would want that. */
const bracketedBreak = /\[(?:\\\]|[^\]\r\n])*[\r\n]/;

describe('our parser and the parser of Handlebars', () => {
  test.each([
    ['whole templates', anyTemplate, 0.3],
    ['tags on lines of their own', standaloneTemplate, 0.3],
    ['templates with a mistake', brokenTemplate, 0.05],
    ['pieces of templates', soup, 0.02],
  ])(
    'agree on the tree, white space and malformed input: %s',
    (_name, sources, share) => {
      let parsed = 0;
      fc.assert(
        fc.property(sources, (source) => {
          if (!bracketedBreak.test(source)) parsed += compare(source);
        }),
        runs,
      );
      expect(parsed).toBeGreaterThan(runs.numRuns * share);
    },
    timeoutMs,
  );
});

/** Returns 1 for a valid template, 0 for an invalid one. */
function compare(source: string): number {
  const [ours, theirs] = [parseOurs(source), parseTheirs(source)];
  if (ours) expect(ours).toEqual(theirs && translate(source, theirs));
  else expect(theirs === undefined || isUnsupported(source, theirs)).toBe(true);
  return ours ? 1 : 0;
}

/** Converts Handlebars' tree to ours. */
function translate(source: string, root: Node): Node[] {
  const lines = source.split(/\r\n|\r|\n/);
  return readBody(root);

  function readBody(program: Node): Node[] {
    return program.body.map(readStatement);
  }

  function readStatement(node: Node): Node {
    const { type, value, original, strip } = node;
    if (type === 'BlockStatement') return readBlock(node);
    if (type === 'CommentStatement') return { type: 'comment', strip, ...toPlace(node) };
    if (type === 'MustacheStatement') {
      return { type: 'print', isRaw: !node.escaped, strip, ...toCall(node) };
    }
    const { rightStripped: isStartTrimmed = false, leftStripped: isEndTrimmed = false } = node;
    return { type: 'text', value, original, isStartTrimmed, isEndTrimmed, ...toPlace(node) };
  }

  /** In Handlebars' tree, the first part of an inverted block is its `inverse`. */
  function readBlock(node: Node): Node {
    const { program, inverse, openStrip, inverseStrip, closeStrip } = node;
    const { line, column } = node.loc.start;
    const isInverted = /^\{\{~?\^/.test(lines[line - 1]?.slice(column) ?? '');
    const [first, second] = isInverted ? [inverse, program] : [program, inverse];
    return {
      type: 'block',
      ...{ ...toCall(node), blockParams: first.blockParams ?? [], isInverted },
      ...{ first: readBody(first), second: second && readBody(second) },
      elseIf: second?.chained ? readBlock(second.body[0]) : undefined,
      ...{ openStrip, elseStrip: inverseStrip ?? { open: false, close: false }, closeStrip },
    };
  }
}

function toCall(node: Node): Node {
  const { path, params, hash } = node;
  const pairs = (hash?.pairs ?? []).map((pair: Node) => ({
    ...{ key: pair.key, value: toExpression(pair.value), ...toPlace(pair) },
  }));
  const values = { path: toExpression(path), params: params.map(toExpression) };
  return { ...values, hash: pairs, ...toPlace(node) };
}

function toExpression(node: Node): Node {
  const { type, data, depth, parts, original, value } = node;
  if (type === 'SubExpression') return { type: 'call', ...toCall(node) };
  if (type === 'PathExpression') {
    return { type: 'path', isData: data, depth, parts, original, ...toPlace(node) };
  }
  return { type: 'literal', value, ...toPlace(node) };
}

function toPlace({ loc }: Node): Node {
  return { line: loc.start.line, column: loc.start.column + 1 };
}
