import { hole, type SqlToken } from './sql-tokens';

export type SqlCondition = {
  tokens: readonly SqlToken[];
  /** Part of an OR: any of several is sufficient. */
  isAlternative: boolean;
  /** The AND or OR before it. */
  joint: SqlToken | undefined;
};

const closers = new Set(
  'AND OR THEN ELSE END WHEN GROUP ORDER LIMIT OFFSET RETURNING UNION JOIN LEFT RIGHT INNER CROSS WHERE FOR HAVING WINDOW SELECT SET ON , ;'.split(
    ' ',
  ),
);
const statementWord =
  /^(SELECT|INSERT|UPDATE|DELETE|WITH|FROM|SET|ORDER|GROUP|LIMIT|RETURNING|CASE|VALUES|LEFT|CROSS|JOIN)$/;

/** The conditions of WHERE, ON, HAVING and WHEN, and those of a fragment that consists of conditions. */
export function findConditions(tokens: readonly SqlToken[]): SqlCondition[] {
  const [first] = tokens;
  const isFragment =
    first !== undefined && !opensCondition(tokens, 0) && !statementWord.test(first.text);
  const openers = tokens.flatMap((_token, index) => (opensCondition(tokens, index) ? [index] : []));
  return [...(isFragment ? [-1] : []), ...openers].flatMap((opener) => {
    const condition = readCondition(tokens, opener);
    return condition ? [condition] : [];
  });
}

function opensCondition(tokens: readonly SqlToken[], index: number): boolean {
  const text = tokens[index]?.text ?? '';
  if (text === 'ON') return !/^(CONFLICT|DELETE|UPDATE)$/.test(tokens[index + 1]?.text ?? '');
  if (text === '(') return opensCondition(tokens, index - 1) || tokens[index - 1]?.text === 'NOT';
  return /^(WHERE|HAVING|WHEN|AND|OR)$/.test(text) && !isOfBetween(tokens, index);
}

/** The AND of `BETWEEN a AND b`. */
function isOfBetween(tokens: readonly SqlToken[], index: number): boolean {
  const { text, depth } = tokens[index] ?? { text: '', depth: 0 };
  if (text !== 'AND') return false;
  const before = tokens
    .slice(0, index)
    .findLast((token) => token.depth === depth && /^(BETWEEN|AND|OR|WHERE|ON)$/.test(token.text));
  return before?.text === 'BETWEEN';
}

function readCondition(tokens: readonly SqlToken[], opener: number): SqlCondition | undefined {
  const start = opener + 1;
  const depth = tokens[start]?.depth ?? 0;
  const ends = (token: SqlToken, index: number) =>
    index >= start &&
    (token.depth < depth ||
      (token.depth === depth && closers.has(token.text) && !isOfBetween(tokens, index)));
  const endIndex = tokens.findIndex(ends);
  const end = endIndex === -1 ? tokens.length : endIndex;
  const condition = tokens.slice(start, end);
  if (!isCondition(condition, tokens[opener])) return undefined;
  const [before, after] = [tokens[opener], tokens[end]].map((token) => token?.text);
  // Alone in brackets, it equals the condition around them.
  if (before === '(' && after !== 'AND' && after !== 'OR') return undefined;
  const isJoint = before === 'AND' || before === 'OR';
  return {
    tokens: condition,
    isAlternative: before === 'OR' || after === 'OR',
    joint: isJoint ? tokens[opener] : undefined,
  };
}

const compares = /^(=|<>|<=?|>=?|IS|IN|LIKE|NOT|EXISTS|BETWEEN|\?\|?|&&|@>)$/;

function isCondition(condition: readonly SqlToken[], opener: SqlToken | undefined): boolean {
  const [first] = condition;
  if (!first || /^(true|false)$/.test(first.text)) return false;
  const isComparison = condition.some(({ text }) => compares.test(text));
  if (opener === undefined || opener.text === 'WHEN') return isComparison;
  return isComparison || condition.length === 1 || first.text.startsWith(hole);
}
