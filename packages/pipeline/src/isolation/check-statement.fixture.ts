import type pg from 'pg';
import { findIds, type Table, toTwinId, twinMark } from './twins.fixture';

export type Statement = {
  /** The source line that sends it, such as `users.ts:30`. */
  place: string;
  /** The fixture line that caused it. */
  caller: string;
  text: string;
  query: pg.QueryConfig;
  /** Ids of existing rows, which earlier statements sent or returned. */
  knownIds: ReadonlySet<string>;
  /** The tables that the text names. */
  tables: Table[];
};

export type Difference = {
  /**
   * `presence`: the statement returns or changes rows of another account. `own`: what it writes to own rows depends on other
   * rows. `ids`: it accepts an id of another account.
   */
  kind: 'presence' | 'own' | 'ids';
  place: string;
  text: string;
  what: string;
  /** Returned rows of another account. */
  foreign: string[];
};

export type Exception = {
  kind: Difference['kind'];
  /** Text that every returned row of another account must contain. */
  onlyRows?: string;
  reason: string;
  /** File and start of the statement; further parts after `…`. */
  statements: string[];
};

export type CheckResult = {
  hasRows: boolean;
  differences: Difference[];
  /** Tables whose own rows change the statement's result. */
  mattering: string[];
};

export type CheckOptions = {
  isInTransaction: boolean;
  /** How close an id is to the account: 2 for the account, 1 for an app, 0 for anything else. */
  isAnchor: (id: string) => number;
  /** Called with the statement's result. */
  isEnough: (answer: string) => boolean;
};

type Send = (query: string | pg.QueryConfig) => Promise<pg.QueryResult>;

type Variant = {
  kind: 'presence' | 'ids';
  what: string;
  query: pg.QueryConfig;
  /** Removes own rows of this table first. */
  without?: string;
};

/**
 * Runs the statement with and without the rows of another account that has a copy of everything. Its result and its own
 * rows must be equal, and the other account's rows must not change. Everything is rolled back.
 */
export async function checkStatement(
  send: Send,
  statement: Statement,
  { isInTransaction, isAnchor, isEnough }: CheckOptions,
): Promise<CheckResult> {
  await send(isInTransaction ? 'SAVEPOINT statement' : 'BEGIN');
  try {
    const { tables, query } = statement;
    const digest = tables.map((table) => table.digest).join(' UNION ALL ');
    const [rowsBefore] = await sendAll(send, [digest, 'SAVEPOINT own']);
    const first = await run(send, { query, digest });
    const checked: CheckResult = { hasRows: first.rowCount > 0, differences: [], mattering: [] };
    if (isEnough(first.answer)) return checked;
    const trials: Trial[] = [];
    for (const variant of listVariants(statement, isAnchor)) {
      const isFirst = variant.query === query && !variant.without;
      const alone = isFirst ? first : await run(send, { ...variant, digest });
      trials.push({ variant, alone });
    }
    checked.mattering = findMattering(trials, first, readDigest(rowsBefore, false));
    // Inserted once: each run returns to the state before it.
    const addTwins = tables.map((table) => table.addTwins);
    const twinsBefore = (await sendAll(send, [...addTwins, digest, 'SAVEPOINT twins'])).at(-2);
    for (const { variant, alone } of trials) {
      const withTwins = await run(send, { ...variant, digest });
      checked.differences.push(
        ...compare({
          statement,
          variant,
          alone,
          withTwins,
          twinsBefore: readDigest(twinsBefore, true),
        }),
      );
    }
    return checked;
  } finally {
    await send(isInTransaction ? 'ROLLBACK TO statement' : 'ROLLBACK');
  }
}

/** A variant and its result without rows of another account. */
type Trial = { variant: Variant; alone: RunResult };

type Comparison = Trial & { statement: Statement; withTwins: RunResult; twinsBefore: string };

function compare({ statement, variant, alone, withTwins, twinsBefore }: Comparison): Difference[] {
  const { place, text } = statement;
  const { kind, what } = variant;
  const foreign = withTwins.rows.filter((row) => row.includes(twinMark));
  const create = (kind: Difference['kind'], difference: string) => ({
    kind,
    place,
    text,
    what: `${what}: ${difference}`,
    foreign,
  });
  const difference = findDifference(alone, withTwins, twinsBefore);
  const differences = difference ? [create(kind, difference)] : [];
  if (alone.own !== withTwins.own) {
    differences.push(
      create(kind === 'ids' ? 'ids' : 'own', "what it writes depends on another account's rows"),
    );
  }
  return differences;
}

/** The tables whose rows the statement changes, or without whose own rows its result changes. */
function findMattering(trials: Trial[], first: RunResult, ownBefore: string): string[] {
  return trials.flatMap(({ variant: { without: table }, alone }) => {
    if (!table) return [];
    const lines = (own: string, isTable: boolean) =>
      own.split(', ').filter((line) => line.startsWith(`${table} `) === isTable);
    const isOther =
      first.answer !== alone.answer ||
      lines(first.own, false).join() !== lines(alone.own, false).join() ||
      lines(first.own, true).join() !== lines(ownBefore, true).join();
    return isOther ? [table] : [];
  });
}

function listVariants(
  { query, text, tables, knownIds }: Statement,
  isAnchor: CheckOptions['isAnchor'],
) {
  const variants: Variant[] = [{ kind: 'presence', what: 'as it is', query }];
  const read = listRead({ text, tables });
  for (const { name } of read) {
    variants.push({ kind: 'presence', what: `without own rows of ${name}`, query, without: name });
  }
  if (read.length === 0) return variants;
  const ids = [...new Set(findIds(toText(query.values ?? [])))].filter((id) => knownIds.has(id));
  const nearest = Math.max(0, ...ids.map(isAnchor));
  const foreign = ids.filter((id) => nearest === 0 || isAnchor(id) < nearest);
  const single = foreign.length > 1 ? foreign.slice(0, idsAlone).map((id) => [id]) : [];
  for (const foreignIds of foreign.length > 0 ? [foreign, ...single] : []) {
    const values = (query.values ?? []).map((value) => replaceIds(value, new Set(foreignIds)));
    variants.push({
      kind: 'ids',
      what: `with another account's ${foreignIds.length === foreign.length ? 'ids' : foreignIds[0]}`,
      query: { ...query, values },
    });
  }
  return variants;
}

/** The tables that the statement names. */
export function listNamed(text: string, tables: Table[]): Table[] {
  return tables.filter(({ name }) => stands(text, 'FROM|JOIN|INTO|UPDATE|USING', name));
}

/** The tables that the statement does more with than inserting rows. */
export function listRead({ text, tables }: Pick<Statement, 'text' | 'tables'>): Table[] {
  return tables.filter(({ name }) => stands(text, 'FROM|JOIN|UPDATE|USING', name));
}

function stands(text: string, behind: string, table: string): boolean {
  return new RegExp(`\\b(${behind}) ("public"\\.)?"?${table}\\b`).test(text);
}

/** How many ids of a statement are also tried one at a time. */
const idsAlone = 3;

/** Replaces these ids by the twin's, anywhere in a value. */
function replaceIds(value: unknown, ids: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    return findIds(value).reduce(
      (text, id) => (ids.has(id) ? text.replaceAll(id, toTwinId(id)) : text),
      value,
    );
  }
  if (Buffer.isBuffer(value)) {
    return Buffer.from(String(replaceIds(value.toString('latin1'), ids)), 'latin1');
  }
  if (Array.isArray(value)) return value.map((part) => replaceIds(part, ids));
  return value;
}

type Run = Pick<Variant, 'query' | 'without'> & { digest: string };
type Answer = { rowCount: number; answer: string; rows: string[] };
type RunResult = Answer & { own: string; twins: string };

async function run(send: Send, { query, without, digest }: Run): Promise<RunResult> {
  await sendAll(send, [
    'SAVEPOINT run',
    ...(without ? [`DELETE FROM "${without}" t WHERE NOT t::text LIKE '%${twinMark}%'`] : []),
    'SAVEPOINT answer',
  ]);
  const answer = await readAnswer(send, query);
  const [after] = await sendAll(send, [digest, 'ROLLBACK TO run']);
  return { ...answer, own: readDigest(after, false), twins: readDigest(after, true) };
}

/** Sends the statements as one text; returns the rows of each. */
async function sendAll(send: Send, statements: string[]): Promise<DigestRow[][]> {
  const results: unknown = await send(statements.join(';'));
  // The driver returns a list if the text has several statements.
  return (results as { rows: DigestRow[] }[]).map(({ rows }) => rows);
}

/** The sorted rows, or PostgreSQL's error. */
async function readAnswer(send: Send, query: pg.QueryConfig): Promise<Answer> {
  try {
    const { rows, rowCount } = await send(query);
    const texts = rows.map((row) => toText(row).replaceAll(snapshot, '<snapshot>')).sort();
    return { rowCount: rowCount ?? 0, answer: `${rowCount} rows ${texts.join(' ')}`, rows: texts };
  } catch (error) {
    await send('ROLLBACK TO answer');
    return { rowCount: 0, answer: `error ${(error as { code?: string }).code}`, rows: [] };
  }
}

/** `pg_current_snapshot()` depends on all transactions. */
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
  return lines.sort().join(', ');
}

function findDifference(
  alone: RunResult,
  withTwins: RunResult,
  twinsBefore: string,
): string | undefined {
  if (withTwins.twins !== twinsBefore) return 'it changes rows of another account';
  if (alone.answer !== withTwins.answer) {
    return `its answer depends on another account's rows: ${alone.answer.slice(0, 300)} | ${withTwins.answer.slice(0, 300)}`;
  }
  return undefined;
}
