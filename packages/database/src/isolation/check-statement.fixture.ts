import type pg from 'pg';
import { findIds, type Table, twinMark, twinOf } from './twins.fixture';

export type Statement = {
  place: string;
  text: string;
  query: pg.QueryConfig;
  /** Ids that earlier statements sent or returned: of rows that there are. */
  known: ReadonlySet<string>;
  /** Those that the text names. */
  tables: Table[];
};

/** `presence`: rows of another account make a difference. `ids`: the statement takes another account's ids. */
export type Difference = { kind: 'presence' | 'ids'; place: string; text: string; what: string };

export type CheckOptions = {
  isInTransaction: boolean;
  /** How near an id is to the account: 2 names it, 1 names an app, 0 anything else. */
  isAnchor: (id: string) => number;
  /** Asked once it is known what the statement answers. */
  isEnough: (answer: string) => boolean;
};

type Send = (query: string | pg.QueryConfig) => Promise<pg.QueryResult>;

type Variant = {
  kind: Difference['kind'];
  what: string;
  query: pg.QueryConfig;
  /** Own rows of this table are taken away first. */
  without?: string;
};

/**
 * Runs the statement with and without the rows of another account, which has the same of everything. What it answers and
 * what it leaves must be the same, and the other account's rows must be as they were. All of it is rolled back.
 */
export async function checkStatement(
  send: Send,
  statement: Statement,
  { isInTransaction, isAnchor, isEnough }: CheckOptions,
): Promise<{ hasRows: boolean; differences: Difference[] }> {
  const { tables, place, text, query } = statement;
  const differences: Difference[] = [];
  await send(isInTransaction ? 'SAVEPOINT statement' : 'BEGIN');
  try {
    const first = await run(send, { query, tables, twins: false });
    const hasRows = first.rowCount > 0;
    if (isEnough(first.answer)) return { hasRows, differences };
    for (const { kind, what, ...variant } of listVariants(statement, isAnchor)) {
      const isFirst = variant.query === query && !variant.without;
      const alone = isFirst ? first : await run(send, { ...variant, tables, twins: false });
      const beside = await run(send, { ...variant, tables, twins: true });
      const difference = compare(alone, beside);
      if (difference) differences.push({ kind, place, text, what: `${what}: ${difference}` });
    }
    return { hasRows, differences };
  } finally {
    await send(isInTransaction ? 'ROLLBACK TO statement' : 'ROLLBACK');
  }
}

function listVariants(
  { query, text, tables, known }: Statement,
  isAnchor: CheckOptions['isAnchor'],
) {
  const variants: Variant[] = [{ kind: 'presence', what: 'as it is', query }];
  const read = tables.filter(({ name }) =>
    new RegExp(`\\b(FROM|JOIN|UPDATE|USING) ("public"\\.)?"?${name}\\b`, 'i').test(text),
  );
  for (const { name } of read) {
    variants.push({ kind: 'presence', what: `without own rows of ${name}`, query, without: name });
  }
  if (read.length === 0) return variants;
  const ids = [...new Set(findIds(toText(query.values ?? [])))].filter((id) => known.has(id));
  const nearest = Math.max(0, ...ids.map(isAnchor));
  const foreign = ids.filter((id) => nearest === 0 || isAnchor(id) < nearest);
  const single = foreign.length > 1 ? foreign.slice(0, idsAlone).map((id) => [id]) : [];
  for (const chosen of foreign.length > 0 ? [foreign, ...single] : []) {
    const values = (query.values ?? []).map((value) => replaceIds(value, new Set(chosen)));
    variants.push({
      kind: 'ids',
      what: `with another account's ${chosen.length === foreign.length ? 'ids' : chosen[0]}`,
      query: { ...query, values },
    });
  }
  return variants;
}

/** Of many ids in one statement, so many are tried by themselves. */
const idsAlone = 4;

/** The twin's ids in place of these, wherever in a value they stand. */
function replaceIds(value: unknown, ids: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    return findIds(value).reduce(
      (text, id) => (ids.has(id) ? text.replaceAll(id, twinOf(id)) : text),
      value,
    );
  }
  if (Buffer.isBuffer(value)) {
    return Buffer.from(String(replaceIds(value.toString('latin1'), ids)), 'latin1');
  }
  if (Array.isArray(value)) return value.map((part) => replaceIds(part, ids));
  return value;
}

type Run = { query: pg.QueryConfig; tables: Table[]; without?: string; twins: boolean };
type Answer = { rowCount: number; answer: string };
type Ran = Answer & { own: string; twins: string | undefined; twinsBefore: string | undefined };

async function run(send: Send, { query, tables, without, twins }: Run): Promise<Ran> {
  const digest = tables.map((table) => table.digest).join(' UNION ALL ');
  const before = await sendAll(send, [
    'SAVEPOINT run',
    ...(twins ? tables.map(({ addTwins }) => addTwins) : []),
    ...(without ? [`DELETE FROM "${without}" t WHERE NOT t::text LIKE '%${twinMark}%'`] : []),
    digest,
    'SAVEPOINT answer',
  ]);
  const answer = await readAnswer(send, query);
  const after = await sendAll(send, [digest, 'ROLLBACK TO run']);
  const [twinsBefore, twinsAfter] = [before.at(-2), after[0]].map((rows) => readDigest(rows, true));
  return { ...answer, own: readDigest(after[0], false), twinsBefore, twins: twinsAfter };
}

/** In one message; the rows of each. */
async function sendAll(send: Send, statements: string[]): Promise<DigestRow[][]> {
  const results: unknown = await send(statements.join(';'));
  // The driver gives a list where one text has several statements.
  return (results as { rows: DigestRow[] }[]).map(({ rows }) => rows);
}

/** The rows in any order, or what PostgreSQL refused. */
async function readAnswer(send: Send, query: pg.QueryConfig): Promise<Answer> {
  try {
    const { rows, rowCount } = await send(query);
    const texts = rows.map((row) => toText(row).replaceAll(snapshot, '<snapshot>')).sort();
    return { rowCount: rowCount ?? 0, answer: `${rowCount} rows ${texts.join(' ')}` };
  } catch (error) {
    await send('ROLLBACK TO answer');
    return { rowCount: 0, answer: `error ${(error as { code?: string }).code}` };
  }
}

/** What `pg_current_snapshot()` says of all transactions. */
const snapshot = /"\d+:\d+:[\d,]*"/g;

export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part?.type === 'Buffer' ? Buffer.from(part.data).toString('latin1') : part,
  );
}

type DigestRow = { table: string; isTwin: boolean; hash: string };

function readDigest(rows: DigestRow[] = [], isTwin: boolean): string {
  const lines = rows
    .filter((row) => row.isTwin === isTwin)
    .map((row) => `${row.table} ${row.hash}`);
  return lines.sort().join(' ');
}

function compare(alone: Ran, beside: Ran): string | undefined {
  if (beside.twins !== beside.twinsBefore) return 'it changes rows of another account';
  if (alone.answer !== beside.answer) {
    return `its answer depends on another account's rows: ${alone.answer.slice(0, 300)} | ${beside.answer.slice(0, 300)}`;
  }
  if (alone.own !== beside.own) return "what it writes depends on another account's rows";
  return undefined;
}
