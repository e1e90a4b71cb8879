import type { Place } from './template-error';

/** The tree of a template, after Handlebars' grammar. The place of a node is that of its first character. */
export type SyntaxStatement = SyntaxText | SyntaxComment | SyntaxPrint | SyntaxBlock;

/** Two texts beside each other are divided by an escape: the second begins with its braces. */
export type SyntaxText = Place & {
  type: 'text';
  /** Without the white space that tags take away. */
  value: string;
  original: string;
  isStartTrimmed: boolean;
  isEndTrimmed: boolean;
};

export type SyntaxComment = Place & { type: 'comment'; strip: Strip };

/** The sides on which a tag is written with `~`. */
export type Strip = { open: boolean; close: boolean };

export type SyntaxCall = Place & { path: SyntaxExpression } & SyntaxArguments;

export type SyntaxArguments = { params: SyntaxExpression[]; hash: SyntaxPair[] };

export type SyntaxPair = Place & { key: string; value: SyntaxExpression };

export type SyntaxPrint = SyntaxCall & { type: 'print'; isRaw: boolean; strip: Strip };

export type SyntaxBlock = SyntaxCall & {
  type: 'block';
  path: SyntaxPath | SyntaxLiteral;
  blockParams: string[];
  /** Written with ^: the part before the `else` is the one for what is false. */
  isInverted: boolean;
  first: SyntaxStatement[];
  /** The part after the `else`. */
  second: SyntaxStatement[] | undefined;
  /** The only statement of the second part, where that is an `else if`. */
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
  /** As it is written, without square brackets. */
  original: string;
};

export type SyntaxLiteral = Place & { type: 'literal'; value: LiteralValue };

export type LiteralValue = string | number | boolean | null | undefined;

export type SyntaxSubExpression = SyntaxCall & { type: 'call' };
