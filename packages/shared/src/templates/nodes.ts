import type { Json } from '../data';

/** A parsed template: plain frozen data, created only by `parseTemplate`. */
export type Template = {
  readonly source: string;
  readonly nodes: readonly TemplateNode[];
  /**
   * Every path that the template reads, from the root of the data, without duplicates, in source order. `[]` stands for
   * each element of an `#each`: `order.items[].name`. A name that is not a plain word is in brackets:
   * `user.[first name]`. The whole data is `this`. Paths that only rendering can determine are omitted.
   */
  readonly paths: readonly string[];
};

export type TemplateNode = TextNode | PrintNode | BlockNode;

export type TextNode = { kind: 'text'; text: string; line: number; column: number };

/** A tag that prints a value; `id` numbers them in source order from 0. */
export type PrintNode = {
  kind: 'print';
  id: number;
  /** Written with three braces or `&`. */
  isRaw: boolean;
  line: number;
  column: number;
  value: Expression;
};

/** A block always has two branches, the body and the `else`; an omitted one is empty. An `else if` is a block in the `else`. */
export type BlockNode = {
  kind: 'block';
  name: BlockName;
  line: number;
  column: number;
  subject: Expression;
  /** Counts 0 as true in `#if` and `#unless`. */
  includeZero: Expression | undefined;
  branches: readonly [readonly TemplateNode[], readonly TemplateNode[]];
};

export const blockNames = ['if', 'unless', 'each', 'with'] as const;

export type BlockName = (typeof blockNames)[number];

export const helperNames = [
  'default',
  'eq',
  'ne',
  'gt',
  'lt',
  'and',
  'or',
  'not',
  'upper',
  'lower',
  'json',
  'number',
  'date',
  'length',
  'join',
  'plural',
] as const;

export type HelperName = (typeof helperNames)[number];

export type Expression = Literal | Path | Call;

export type Literal = { kind: 'literal'; value: Value };

/** A path with a resolved start: the number of `#each` and `#with` to go up, then the value there or a loop variable. */
export type Path = {
  kind: 'path';
  text: string;
  from: 'value' | 'key' | 'index' | 'first' | 'last' | 'nothing';
  up: number;
  names: readonly string[];
};

export type Call = { kind: 'call'; helper: HelperName; args: readonly Expression[] };

/** Value of an expression; undefined if the data does not have it. */
export type Value = Json | undefined;
