import type pg from 'pg';

/** The first digits of a twin row's id; everything else equals the original row. */
export const twinMark = 'ffffffff';

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})';

/** Ids are UUIDs, hexadecimal hashes of tokens, or the public part of API keys. */
const idForms = new RegExp(`${uuid}|\\b[0-9a-f]{64}\\b|\\b[0-9A-Za-z]{22}\\b`, 'g');

export function findIds(text: string): string[] {
  return [...text.matchAll(idForms)].map(([id]) => id);
}

/** Returns the id that `twinValue` writes. */
export function toTwinId(id: string): string {
  if (id.includes('-')) return twinMark + id.slice(twinMark.length);
  return id.length === 64 ? `${toOtherByte(id.slice(0, 2))}${id.slice(2)}` : `twin_${id}`;
}

/** The complement, so that no hash is its own twin. */
function toOtherByte(hex: string): string {
  return (0xff - Number.parseInt(hex, 16)).toString(16).padStart(2, '0');
}

/** Tables whose rows belong to no account. */
const sharedTables: Record<string, string> = {
  _prisma_migrations: 'the schema',
  counted_minute: 'minutes of all accounts',
  installation: 'one row for the whole database',
  key_canary: 'the key ring of the installation',
  operator_salt: 'one salt for each address, whatever the account',
  storage_slice: 'ranges of time; only the relay reads them',
  worker_heartbeat: 'processes',
};

/** Columns that name a row's owner, closest to the account first. */
const ownerColumns = [
  'app_id',
  'account_id',
  'operator_id',
  'request_id',
  'message_id',
  'resend_id',
  'integration_id',
];

export type Table = {
  name: string;
  /** Inserts a copy of each row that belongs to another account. */
  addTwins: string;
  /** Returns a hash of all columns: one row for the twins, one for all others. */
  digest: string;
};

type Column = { name: string; type: string; isGenerated: boolean; isUnique: boolean };

/** Reads the tables with rows of accounts. A new table is one of them unless `sharedTables` names it. */
export async function readTables(pool: pg.Pool): Promise<Table[]> {
  const { rows } = await pool.query<{ table: string; columns: Column[] }>(columnsStatement);
  const owned = rows.filter(({ table }) => !(table in sharedTables));
  return owned.map(({ table, columns }) => describe(table, columns));
}

/**
 * A value in a unique index of one column must differ between two accounts. Tables with triggers come last, because a
 * trigger would add rows to the others before their copies.
 */
const columnsStatement = `
SELECT c.relname AS table, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL),
  'isGenerated', a.attgenerated <> '', 'isUnique', EXISTS (SELECT FROM pg_index i
    WHERE i.indrelid = c.oid AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)) ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY c.oid, c.relname
ORDER BY EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)`;

function describe(table: string, columns: Column[]): Table {
  const names = columns.map(({ name }) => name);
  const owner = table === 'account' ? 'id' : ownerColumns.find((name) => names.includes(name));
  if (!owner) {
    throw new Error(
      `Name the table ${table} in sharedTables, or its owner's column in ownerColumns`,
    );
  }
  const stored = columns.filter(({ isGenerated }) => !isGenerated);
  return {
    name: table,
    addTwins: `INSERT INTO "${table}" (${stored.map(({ name }) => `"${name}"`).join(', ')})
      SELECT ${stored.map(twinValue).join(', ')} FROM "${table}"`,
    digest: `SELECT '${table}' AS table, starts_with(t."${owner}"::text, '${twinMark}') AS "isTwin",
      md5(string_agg(t::text, ' ' ORDER BY t::text)) AS hash FROM "${table}" t GROUP BY 2`,
  };
}

/** Replaces ids, also in texts and JSON; changes a token that is unique in the installation. */
function twinValue({ name, type, isUnique }: Column): string {
  const column = `"${name}"`;
  if (type === 'uuid') return `overlay(${column}::text PLACING '${twinMark}' FROM 1)::uuid`;
  if (type === 'bytea') {
    return isUnique ? `set_byte(${column}, 0, 255 - get_byte(${column}, 0))` : column;
  }
  if (type === 'text' && isUnique) return `'twin_' || ${column}`;
  if (!['text', 'json', 'jsonb'].includes(type)) return column;
  return `regexp_replace(${column}::text, '${uuid}', '${twinMark}\\1', 'g')::${type}`;
}

/**
 * Removes what would hide differences or fail the checks: foreign keys, which prevent deleting rows, and a clock that
 * advances within a transaction.
 */
export async function prepareDatabase(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ drop: string }>(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop
    FROM pg_constraint WHERE contype = 'f'`);
  for (const { drop } of rows) await pool.query(drop);
  await pool.query(`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
    AS 'SELECT now()'`);
  const { rows: databases } = await pool.query<{ name: string }>(
    'SELECT current_database() AS name',
  );
  await pool.query(`ALTER DATABASE "${databases[0]?.name}" SET search_path = public, pg_catalog`);
}
