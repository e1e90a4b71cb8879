import { parse } from '@handlebars/parser';
import { type Place, quote, TemplateError } from './template-error';

/** The parser's tree, as far as it is read here. Columns count from 0. */
export type Span = {
  start: { line: number; column: number };
  end: { line: number; column: number };
};

export type SyntaxProgram = {
  body: SyntaxStatement[];
  blockParams?: string[] | undefined;
  loc?: Span | undefined;
};

export type SyntaxStatement =
  | { type: 'ContentStatement'; value: string; loc: Span }
  | { type: 'CommentStatement'; loc: Span }
  | SyntaxMustache
  | SyntaxBlock
  | {
      type: 'PartialStatement' | 'PartialBlockStatement' | 'Decorator' | 'DecoratorBlock';
      loc: Span;
    };

export type SyntaxCall = {
  path: SyntaxExpression;
  params: SyntaxExpression[];
  hash?: SyntaxHash | undefined;
  loc: Span;
};

export type SyntaxMustache = SyntaxCall & { type: 'MustacheStatement'; escaped: boolean };

/** An inverted block ({{^if}}) has its parts exchanged, so either may be absent. */
export type SyntaxBlock = SyntaxCall & {
  type: 'BlockStatement';
  program?: SyntaxProgram | undefined;
  inverse?: SyntaxProgram | undefined;
};

export type SyntaxHash = { pairs: { key: string; value: SyntaxExpression; loc: Span }[] };

export type SyntaxExpression = SyntaxPath | SyntaxLiteral | SyntaxSubExpression | SyntaxUnknown;

export type SyntaxPath = {
  type: 'PathExpression';
  /** Written with @. */
  data: boolean;
  depth: number;
  parts: (string | SyntaxExpression)[];
  original: string;
  loc: Span;
};

export type SyntaxLiteral =
  | { type: 'StringLiteral'; value: string; loc: Span }
  | { type: 'NumberLiteral'; value: number; loc: Span }
  | { type: 'BooleanLiteral'; value: boolean; loc: Span }
  | { type: 'NullLiteral'; value: null; loc: Span }
  | { type: 'UndefinedLiteral'; value: undefined; loc: Span };

export type SyntaxSubExpression = SyntaxCall & { type: 'SubExpression' };

/** Lists and objects written out: the parser knows them, the language does not. */
type SyntaxUnknown = { type: 'ArrayLiteral' | 'HashLiteral'; loc: Span };

/** Parses a scanned template, with the white space around tags removed as Handlebars does. */
export function parseSyntax(source: string): SyntaxProgram {
  try {
    // The parser's own types name its nodes but do not tell them apart; these do, after its grammar.
    return parse(source) as unknown as SyntaxProgram;
  } catch (error) {
    throw isParserError(error) ? explain(error) : error;
  }
}

/** What the parser throws: `hash` when a token does not fit, a place when a rule of its tree is broken, neither for a slip of its own. */
type ParserError = Error & {
  hash?: {
    token: string | null;
    text: string;
    /** Of the last token that did fit. */
    loc?: { last_line: number; last_column: number };
  };
  lineNumber?: number;
  column?: number;
};

function isParserError(error: unknown): error is ParserError {
  return error instanceof Error;
}

function explain({ hash, message, lineNumber, column }: ParserError): TemplateError {
  if (!hash) {
    return new TemplateError(explainRule(message), {
      line: lineNumber ?? 1,
      column: (column ?? 0) + 1,
    });
  }
  const explained = tokenProblems.get(hash.token ?? '');
  return new TemplateError(
    explained ??
      `"${quote(hash.text)}" does not fit here: a tag is {{a_name}} or {{helper value}}.`,
    { line: hash.loc?.last_line ?? 1, column: (hash.loc?.last_column ?? 0) + 1 },
  );
}

const literalInPath =
  'A number, true, false, null or undefined inside a path stands in square brackets: list.[0].';

const tokenProblems = new Map([
  ['NUMBER', literalInPath],
  ['BOOLEAN', literalInPath],
  ['NULL', literalInPath],
  ['UNDEFINED', literalInPath],
  [
    'CLOSE',
    'The tag ends too early: it needs a name, as in {{user_name}}, and what it opens must be closed.',
  ],
  [
    'CLOSE_UNESCAPED',
    'Three closing braces close only what three opened: put a space between }} and a brace of the text.',
  ],
  [
    'CLOSE_SEXPR',
    'This parenthesis closes nothing: remove it, or write a helper call such as (eq a b).',
  ],
  ['CLOSE_ARRAY', 'This square bracket closes nothing: remove it.'],
  ['CLOSE_BLOCK_PARAMS', 'Block parameters are written {{#each items as |item index|}}.'],
  ['EQUALS', 'Nothing can be named here: remove the =, or compare with (eq a b).'],
]);

export function startOf({ loc }: { loc: Span }): Place {
  return { line: loc.start.line, column: loc.start.column + 1 };
}

export function errorAt(syntax: { loc: Span }, message: string): TemplateError {
  return new TemplateError(message, startOf(syntax));
}

/** The messages of the parser's own rules end in a place, which is kept apart here. */
function explainRule(message: string): string {
  const rule = message.replace(/ - \d{1,9}:\d{1,9}$/, '');
  const middle = rule.lastIndexOf(differs);
  if (middle !== -1) {
    const [opened, closed] = [rule.slice(0, middle), rule.slice(middle + differs.length)];
    return `{{#${quote(opened)}}} is closed by {{/${quote(closed)}}}: close it by its own name.`;
  }
  if (rule.startsWith(invalidPath)) {
    const path = quote(rule.slice(invalidPath.length));
    return `"${path}" is no path: "this", "." and ".." stand only at its beginning.`;
  }
  return 'The template cannot be read: check its tags.';
}

const differs = " doesn't match ";
const invalidPath = 'Invalid path: ';
