/** A token of SQL with its position in the source. Its depth counts brackets and CASE ... END. */
export type SqlToken = { text: string; start: number; end: number; depth: number };

/** Replaces the characters of `${...}`. */
export const hole = '\u00a7';

const token =
  /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\u00a7+|\$\d+|[A-Za-z_][\w.]*|\d+(?:\.\d+)?|::|<=|>=|<>|->>|#>>|->|#>|\|\||[^\s]/g;

/** The tokens of `sql`, which begins at `offset` of its file and has holes in place of expressions. */
export function readSqlTokens(sql: string, offset: number): SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  for (const match of sql.matchAll(token)) {
    const [text] = match;
    if (text.startsWith('--')) continue;
    if (text === ')' || text === 'END') depth -= 1;
    const start = offset + match.index;
    tokens.push({ text, start, end: start + text.length, depth });
    if (text === '(' || text === 'CASE') depth += 1;
  }
  return tokens;
}
