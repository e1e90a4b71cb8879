import type { Json } from '../data';

/** A parsed template: plain frozen data, made by `parseTemplate` only. */
export type Template = {
  readonly source: string;
  readonly nodes: readonly TemplateNode[];
  /**
   * Every path that the template reads, from the top of the data, each once, in source order. `[]` stands for
   * each element of what `#each` walks: `order.items[].name`. A name that is no plain word stands in brackets:
   * `user.[first name]`. The whole data is `this`. What cannot be known before rendering is left out.
   */
  readonly paths: readonly string[];
};

export type TemplateNode = TextNode | PrintNode | BlockNode;

export type TextNode = { kind: 'text'; text: string; line: number; column: number };

/** A tag that prints a value; `id` counts them in source order from 0. */
export type PrintNode = {
  kind: 'print';
  id: number;
  /** Written with three braces or `&`. */
  isRaw: boolean;
  line: number;
  column: number;
  value: Expression;
};

/** A block always has two branches, what it shows and its `else`; what is not written is empty. An `else if` is a block in the `else`. */
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

/** A path whose beginning is known: so many `#each` and `#with` up, either the value there or what its loop knows. */
export type Path = {
  kind: 'path';
  text: string;
  from: 'value' | 'key' | 'index' | 'first' | 'last' | 'nothing';
  up: number;
  names: readonly string[];
};

export type Call = { kind: 'call'; helper: HelperName; args: readonly Expression[] };

/** What an expression comes to; undefined is what the data does not hold. */
export type Value = Json | undefined;
