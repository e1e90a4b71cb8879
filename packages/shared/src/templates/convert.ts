import {
  type ConversionContext,
  convertExpression,
  convertPrinted,
  getPlainName,
} from './convert-expression';
import {
  type BlockName,
  type BlockNode,
  blockNames,
  type Expression,
  type Template,
  type TemplateNode,
} from './nodes';
import type { ParseBudget } from './parse-budget';
import type { Level } from './resolve';
import type { SyntaxBlock, SyntaxStatement } from './syntax';
import { createErrorAt, quote } from './template-error';

/** Converts the syntax tree to nodes, and rejects what the template language does not support. */
export function convertStatements(
  statements: readonly SyntaxStatement[],
  budget: ParseBudget,
): Pick<Template, 'nodes' | 'paths'> {
  const paths = new Set<string>();
  const top: Level = { parent: undefined, isLoop: false, blockParams: [], location: '' };
  const nodes = convertBody(statements, { level: top, paths, budget, prints: { count: 0 } });
  return { nodes, paths: [...paths] };
}

/** `paths` and `prints` are the same objects for the whole template. */
type BodyContext = ConversionContext & { prints: { count: number } };

function convertBody(statements: readonly SyntaxStatement[], context: BodyContext): TemplateNode[] {
  const nodes: TemplateNode[] = [];
  for (const statement of statements) {
    const node = convertStatement(statement, context);
    const last = nodes.at(-1);
    if (node?.kind === 'text' && last?.kind === 'text') last.text += node.text;
    else if (node) nodes.push(node);
  }
  return nodes;
}

function convertStatement(
  statement: SyntaxStatement,
  context: BodyContext,
): TemplateNode | undefined {
  const { line, column } = statement;
  switch (statement.type) {
    case 'text': {
      const text = statement.value;
      return text === '' ? undefined : { kind: 'text', text, line, column };
    }
    case 'comment':
      return undefined;
    case 'print': {
      const value = convertPrinted(statement, context);
      const id = context.prints.count;
      context.prints.count += 1;
      return { kind: 'print', id, isRaw: statement.isRaw, line, column, value };
    }
    case 'block':
      return convertBlock(statement, context);
  }
}

function convertBlock(syntax: SyntaxBlock, context: BodyContext): BlockNode {
  const name = getBlockName(syntax);
  const [param] = syntax.params;
  if (!param || syntax.params.length > 1) throw createErrorAt(syntax, formatValueProblem(name));
  const { expression: subject, location } = convertExpression(param, context);
  const includeZero = convertIncludeZero(syntax, name, context);
  const isLoop = name === 'each';
  const inner: Level = {
    parent: context.level,
    isLoop,
    blockParams: checkBlockParams(syntax, name),
    location: isLoop && location !== undefined ? `${location}[]` : location,
  };
  const level = changesScope(name) ? inner : context.level;
  const { line, column, isInverted } = syntax;
  const first = convertBody(syntax.first, isInverted ? context : { ...context, level });
  const second = convertBody(syntax.second ?? [], isInverted ? { ...context, level } : context);
  return {
    kind: 'block',
    name,
    line,
    column,
    subject,
    includeZero,
    branches: isInverted ? [second, first] : [first, second],
  };
}

function getBlockName(syntax: SyntaxBlock): BlockName {
  const tagName = getPlainName(syntax.path);
  const name = blockNames.find((blockName) => blockName === tagName);
  if (name) return name;
  throw createErrorAt(
    syntax,
    `There is no block ${quote(tagName)}: write {{#if …}}, {{#unless …}}, {{#each …}} or {{#with …}}.`,
  );
}

function formatValueProblem(name: BlockName): string {
  return `#${name} takes one value, as in {{#${name} user.name}}. To compare, write (eq left right).`;
}

/** Blocks that change `this`. */
function changesScope(name: BlockName): boolean {
  return name === 'each' || name === 'with';
}

function convertIncludeZero(
  { hash }: SyntaxBlock,
  name: BlockName,
  context: BodyContext,
): Expression | undefined {
  let includeZero: Expression | undefined;
  for (const pair of hash) {
    if (pair.key !== 'includeZero' || changesScope(name)) {
      throw createErrorAt(pair, `#${name} has no named argument ${quote(pair.key)}: remove it.`);
    }
    includeZero = convertExpression(pair.value, context).expression;
  }
  return includeZero;
}

function checkBlockParams(syntax: SyntaxBlock, name: BlockName): string[] {
  const { blockParams } = syntax;
  if (blockParams.length <= maxBlockParams[name]) return blockParams;
  throw createErrorAt(
    syntax,
    'Write block parameters as {{#each items as |item index|}} or {{#with user as |name|}}.',
  );
}

const maxBlockParams: Record<BlockName, number> = { if: 0, unless: 0, each: 2, with: 1 };
