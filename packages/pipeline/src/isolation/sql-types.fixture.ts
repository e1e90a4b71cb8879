import { execFileSync } from 'node:child_process';
import path from 'node:path';
import pg from 'pg';
import { toPlace } from './find-statements.fixture';

export type DeclaredColumn = { name: string; kinds: string[] };

/** The declared types at a call of `query`. A kind is `string`, `null`, `Date`, `(string | null)[]`, `object`, … */
export type DeclaredCall = {
  /** The source line, such as `users.ts:30`. */
  place: string;
  usesRows: boolean;
  /** The columns of the row type; of several types if the call is in a generic function; none without a type. */
  rows: DeclaredColumn[][];
  /** The kinds of the values in the array literal at the call. */
  values?: string[][];
};

/** A statement that a source line sent, and its result. */
export type SentStatement = {
  place: string;
  text: string;
  fields: pg.FieldDef[];
  /** The kinds of the values of each parameter. */
  valueKinds: Set<string>[];
  /** Columns that were null in a row. */
  nullColumns: Set<string>;
};

export type SentStatements = Map<string, SentStatement>;

export function recordSent(
  sent: SentStatements,
  { place, query }: { place: string; query: pg.QueryConfig },
  { fields = [], rows = [] }: Partial<pg.QueryResult>,
): void {
  const { text, values = [] } = query;
  const key = `${place} ${text}`;
  const [valueKinds, nullColumns] = [values.map(() => new Set<string>()), new Set<string>()];
  const statement = sent.get(key) ?? { place, text, fields, valueKinds, nullColumns };
  sent.set(key, statement);
  for (const [index, value] of values.entries()) statement.valueKinds[index]?.add(toKind(value));
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if (value === null) statement.nullColumns.add(name);
    }
  }
}

function toKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return toArrayKind(value.map(toKind));
  if (value instanceof Date) return 'Date';
  if (Buffer.isBuffer(value)) return 'Buffer';
  return value instanceof Uint8Array ? 'Uint8Array' : typeof value;
}

function toArrayKind(kinds: string[]): string {
  return `(${[...new Set(kinds)].sort().join(' | ')})[]`;
}

const root = path.resolve(__dirname, '../../../..');

/** Reads the types of the calls in these files by the compiler. */
export function readDeclaredCalls(files: string[]): DeclaredCall[] {
  const reader = path.join(root, 'scripts/read-declared-types.mjs');
  const config = path.join(root, 'tsconfig.test.json');
  const text = execFileSync(process.execPath, [reader, config, ...files], {
    maxBuffer: 64 * 1024 * 1024,
    encoding: 'utf8',
  });
  const calls = JSON.parse(text) as (DeclaredCall & { file: string; line: number })[];
  return calls.map(({ file, line, ...call }) => ({ ...call, place: `${toPlace(file)}:${line}` }));
}

export type DescribedStatement = {
  schema: Schema;
  sent: SentStatement;
  /** Undefined if the source has no call of `query` at the place. */
  declared: DeclaredCall | undefined;
  /** PostgreSQL's types of the parameters. */
  parameters: string[];
};

/** Prepares each statement, and finds the call in the files that sent it. */
export async function describeStatements(
  url: string,
  statements: SentStatements,
  files: string[],
): Promise<DescribedStatement[]> {
  const sending = new Set([...statements.values()].map(({ place }) => place.replace(/:\d+$/, '')));
  const read = readDeclaredCalls(files.filter((file) => sending.has(toPlace(file))));
  const calls = new Map(read.map((call) => [call.place, call]));
  const client = new pg.Client(url);
  await client.connect();
  try {
    const schema = await readSchema(client);
    const described: DescribedStatement[] = [];
    for (const sent of [...statements.values()].filter(({ text }) => isPreparable(text))) {
      const parameters = await readParameterTypes(client, sent.text);
      described.push({ schema, sent, declared: calls.get(sent.place), parameters });
    }
    return described;
  } finally {
    await client.end();
  }
}

export type Schema = {
  /** The name of each type, by OID. */
  types: Map<number, string>;
  /** By `toColumnKey`. */
  columns: Map<string, { table: string; column: string; isNotNull: boolean }>;
};

async function readSchema(client: pg.ClientBase): Promise<Schema> {
  const types = await client.query<{ oid: number; type: string }>(
    'SELECT oid, format_type(oid, NULL) AS type FROM pg_type',
  );
  const columns = await client.query<SchemaColumn>(
    `SELECT attrelid AS "tableID", attnum AS "columnID", relname AS table, attname AS column, attnotnull AS "isNotNull"
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace`,
  );
  return {
    types: new Map(types.rows.map(({ oid, type }) => [oid, type])),
    columns: new Map(columns.rows.map((row) => [toColumnKey(row), row])),
  };
}

type SchemaColumn = ColumnId & { table: string; column: string; isNotNull: boolean };
type ColumnId = { tableID: number; columnID: number };

export function toColumnKey({ tableID, columnID }: ColumnId): string {
  return `${tableID}.${columnID}`;
}

async function readParameterTypes(client: pg.ClientBase, text: string): Promise<string[]> {
  await client.query(`PREPARE described AS ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'described'`,
  );
  await client.query('DEALLOCATE described');
  return rows[0]?.types ?? [];
}

function isPreparable(text: string): boolean {
  return /^\s*\(?(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text);
}
