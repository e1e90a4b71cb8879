import { createPlaces, type SyntaxNode, walk } from '../../syntax';
import { type Kind, type Mutation, tenantName } from './mutation';
import { findConditions } from './sql-conditions';
import { hole, readSqlTokens, type SqlToken } from './sql-tokens';

/** Every mutation of the SQL in the strings and templates of a file. */
export function mutateSql(text: string, body: readonly SyntaxNode[]): Mutation[] {
  if (!statement.test(text)) return [];
  const place = createPlaces(text);
  return [...walk(body)].flatMap((node) => {
    if (!/^(String|Template)Literal$/.test(node.type)) return [];
    const start = place(node.span.start) + 1;
    const sql = maskHoles(
      text.slice(start, place(node.span.end) - 1),
      start,
      listHoles(node, place),
    );
    if (!statement.test(sql) && !fragment.test(sql)) return [];
    return mutateStatement(text, readSqlTokens(sql, start));
  });
}

const statement = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|JOIN|ORDER BY)\b/;
/** A condition that is interpolated into a statement elsewhere. */
const fragment = /^\s*(NOT |EXISTS \(|[\w."]+(::\w+)? *(=|<>|<=?|>=?|IS|IN|LIKE|\?) ?)/;

type Place = (position: number) => number;
type Span = { start: number; end: number };

/** The positions of `${...}`, from one text part to the next. */
function listHoles(node: SyntaxNode, place: Place): Span[] {
  const pieces = (node['quasis'] ?? []) as SyntaxNode[];
  return pieces.slice(1).map((piece, index) => ({
    start: place(pieces[index]?.span.end ?? 0),
    end: place(piece.span.start),
  }));
}

function maskHoles(sql: string, offset: number, holes: readonly Span[]): string {
  return holes.reduce(
    (masked, { start, end }) =>
      masked.slice(0, start - offset) + hole.repeat(end - start) + masked.slice(end - offset),
    sql,
  );
}

function mutateStatement(text: string, tokens: readonly SqlToken[]): Mutation[] {
  return [
    ...findConditions(tokens).flatMap((condition) => [
      dropCondition(text, condition),
      ...swapInCondition(condition),
    ]),
    ...tokens.flatMap((_token, index) => swapToken(text, tokens, index)),
  ];
}

/** `OR true` keeps the types of parameters and the statement valid, unlike removing the condition. */
function dropCondition(text: string, { tokens, isAlternative }: Condition): Mutation {
  const [start, end] = [tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0];
  const condition = text.slice(start, end);
  return {
    kind: tenantName.test(condition) ? 'dropped tenant condition' : 'SQL: dropped condition',
    start,
    end,
    becomes: isAlternative ? `(${condition} AND false)` : `(${condition} OR true)`,
  };
}

type Condition = ReturnType<typeof findConditions>[number];

const otherComparison: Record<string, string> = {
  '=': '<>',
  '<>': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  IS: 'IS NOT',
};

function swapInCondition({ tokens, joint }: Condition): Mutation[] {
  const depth = tokens[0]?.depth;
  const comparisons = tokens.flatMap((token, index) => {
    const other = Object.hasOwn(otherComparison, token.text) && otherComparison[token.text];
    if (!other || token.depth !== depth) return [];
    const next = tokens[index + 1];
    return token.text === 'IS' && next?.text === 'NOT'
      ? [replace('SQL: swapped operator', { ...token, end: next.end }, 'IS')]
      : [replace('SQL: swapped operator', token, other)];
  });
  if (!joint) return comparisons;
  return [...comparisons, replace('SQL: swapped operator', joint, otherJoint(joint.text))];
}

function otherJoint(text: string): string {
  return text === 'AND' ? 'OR' : 'AND';
}

function replace(kind: Kind, { start, end }: Span, becomes: string): Mutation {
  return { kind, start, end, becomes };
}

const order = 'SQL: order, limit or choice';
const otherWord: Record<string, string> = {
  ASC: 'DESC',
  DESC: 'ASC',
  FIRST: 'LAST',
  LAST: 'FIRST',
  least: 'greatest',
  greatest: 'least',
  min: 'max',
  max: 'min',
};
const otherInterval: Record<string, string> = {
  "'1 ms'": "'1 second'",
  "'1 second'": "'1 minute'",
  "'1 minute'": "'1 hour'",
};

function swapToken(text: string, tokens: readonly SqlToken[], index: number): Mutation[] {
  const token = tokens[index];
  if (!token) return [];
  const word = Object.hasOwn(otherWord, token.text) && otherWord[token.text];
  // `FETCH LAST` is not valid SQL: only the position of NULLs may change.
  const isFetch = tokens[index - 1]?.text === 'FETCH';
  if (word && !isFetch) return [replace(order, token, word)];
  const interval = Object.hasOwn(otherInterval, token.text) && otherInterval[token.text];
  if (interval) return [replace('changed constant or unit', token, interval)];
  const rest = tokens.slice(index);
  switch (token.text) {
    case 'LIMIT':
      return moveLimit(rest);
    case 'BY':
      return changeOrder(rest, tokens[index - 1]);
    case 'coalesce':
      return swapChoices(text, rest);
    case 'USING':
      return dropTenantColumn(rest);
    case 'now':
      return swapSign(rest);
    default:
      return [];
  }
}

function moveLimit([, value]: readonly SqlToken[]): Mutation[] {
  if (!value || !/^[\d$\u00a7]/.test(value.text)) return [];
  const place = { start: value.end, end: value.end };
  return [replace('off by one', place, ' + 1')];
}

const afterKey = /^(,|LIMIT|FOR|UNION|WITH|ASC|DESC|NULLS|OFFSET|ROWS|RETURNING|§+)$/;

/** Reverses the first sort key, or drops it if there are more. */
function changeOrder(rest: readonly SqlToken[], before?: SqlToken): Mutation[] {
  if (before?.text !== 'ORDER') return [];
  const [by] = rest;
  const after = rest.findIndex(
    ({ text: word, depth }, index) =>
      index > 1 && (depth < (by?.depth ?? 0) || (depth === by?.depth && afterKey.test(word))),
  );
  const key = rest.slice(1, after === -1 ? undefined : after);
  const [first, last, next] = [key[0], key.at(-1), after === -1 ? undefined : rest[after]];
  if (!first || !last || first.text.startsWith(hole)) return [];
  const isTurned = next !== undefined && /^(ASC|DESC|NULLS)$/.test(next.text);
  const reversal = replace(order, { start: last.end, end: last.end }, ' DESC');
  const second = next?.text === ',' ? rest[after + 1] : undefined;
  const dropped = second && replace(order, { start: first.start, end: second.start }, '');
  return [...(isTurned ? [] : [reversal]), ...(dropped ? [dropped] : [])];
}

/** `coalesce(a, b)` with its two arguments swapped. */
function swapChoices(text: string, rest: readonly SqlToken[]): Mutation[] {
  const open = rest[1];
  if (open?.text !== '(') return [];
  const close = rest.findIndex(({ text: word, depth }) => word === ')' && depth === open.depth);
  const inner = rest.slice(2, close);
  const comma = inner.findIndex(
    ({ text: word, depth }) => word === ',' && depth === open.depth + 1,
  );
  const [first, last, from, to] = [inner[0], inner[comma - 1], inner[comma + 1], inner.at(-1)];
  if (!first || !last || !from || !to) return [];
  const [a, b] = [text.slice(first.start, last.end), text.slice(from.start, to.end)];
  return [replace(order, { start: first.start, end: to.end }, `${b}, ${a}`)];
}

/** A join by several columns no longer compares the tenant. */
function dropTenantColumn([, open, first, comma, second]: readonly SqlToken[]): Mutation[] {
  if (open?.text !== '(' || comma?.text !== ',' || !first || !second) return [];
  if (!tenantName.test(first.text)) return [];
  return [replace('dropped tenant condition', { start: first.start, end: second.start }, '')];
}

function swapSign([, , close, sign]: readonly SqlToken[]): Mutation[] {
  if (close?.text !== ')' || !sign || !/^[+-]$/.test(sign.text)) return [];
  return [replace('SQL: swapped operator', sign, sign.text === '+' ? '-' : '+')];
}
