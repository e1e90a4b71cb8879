import type { Place } from './template-error';

/** The syntax tree of a template, after Handlebars' grammar. The position of a node is that of its first character. */
export type SyntaxStatement = SyntaxText | SyntaxComment | SyntaxPrint | SyntaxBlock;

/** Two adjacent texts come from an escaped tag: the second starts with its braces. */
export type SyntaxText = Place & {
  type: 'text';
  /** Without stripped white space. */
  value: string;
  original: string;
  isStartTrimmed: boolean;
  isEndTrimmed: boolean;
};

export type SyntaxComment = Place & { type: 'comment'; strip: Strip };

/** The sides on which a tag has a `~`. */
export type Strip = { open: boolean; close: boolean };

export type SyntaxCall = Place & { path: SyntaxExpression } & SyntaxArguments;

export type SyntaxArguments = { params: SyntaxExpression[]; hash: SyntaxPair[] };

export type SyntaxPair = Place & { key: string; value: SyntaxExpression };

export type SyntaxPrint = SyntaxCall & { type: 'print'; isRaw: boolean; strip: Strip };

export type SyntaxBlock = SyntaxCall & {
  type: 'block';
  path: SyntaxPath | SyntaxLiteral;
  blockParams: string[];
  /** Starts with ^: the part before the `else` is for a false value. */
  isInverted: boolean;
  first: SyntaxStatement[];
  /** The part after the `else`. */
  second: SyntaxStatement[] | undefined;
  /** The only statement of the second part, if that is an `else if`. */
  elseIf: SyntaxBlock | undefined;
  openStrip: Strip;
  elseStrip: Strip;
  closeStrip: Strip;
};

export type SyntaxExpression = SyntaxPath | SyntaxLiteral | SyntaxSubExpression;

export type SyntaxPath = Place & {
  type: 'path';
  /** Written with @. */
  isData: boolean;
  depth: number;
  parts: string[];
  /** As written, without square brackets. */
  original: string;
};

export type SyntaxLiteral = Place & { type: 'literal'; value: LiteralValue };

export type LiteralValue = string | number | boolean | null | undefined;

export type SyntaxSubExpression = SyntaxCall & { type: 'call' };
