import type { Database } from '@belfry/database';

/** Tracks the rows of tenants in a database that nothing else writes to. */
export type RowWatch = {
  /** A tenant without a row. */
  watch(options: WatchOptions): WatchedRows;
  /** Watched rows that are missing or changed, and new rows of other tenants that name one of them. */
  findChanges(requestedValues?: ReadonlySet<string>): Promise<string[]>;
};

export type WatchOptions = {
  /** Texts of the tenant beside the IDs in its rows. */
  marks: readonly string[];
  /** IDs in its rows that other rows may name, and tables that it shares with other tenants. */
  shared?: { ids: readonly string[]; tables: readonly string[] };
};

export type WatchedRows = {
  /** Everything that `create` writes belongs to the tenant: no other tenant may change or name it. */
  add<T>(create: () => Promise<T>): Promise<T>;
  /** IDs and marks of the tenant in a text, except the requested ones. */
  findIn(text: string, requestedValues?: ReadonlySet<string>): string[];
  /** Tables with an app or account column in which the tenant has no row. */
  listEmptyTables(): Promise<string[]>;
};

type Store = Pick<Database, 'lookUps'>;
type Row = { table: string; text: string; key: string };

export async function createRowWatch(database: Store): Promise<RowWatch> {
  const read = await createReader(database);
  const watched = new Set<string>();
  const tenants: WatchedRows[] = [];
  let previousKeys = new Set<string>();

  return {
    watch({ marks, shared = { ids: [], tables: [] } }) {
      const ids = new Set(marks);
      const filled = new Set<string>();

      function registerRow({ table, text }: Row): void {
        filled.add(table);
        const own = findIds(text).filter((id) => !shared.ids.includes(id));
        for (const id of own) ids.add(id);
      }

      async function add<T>(create: () => Promise<T>): Promise<T> {
        const before = await read();
        const created = await create();
        const after = await read();
        const newRows = [...after].filter(
          ([key, { table }]) => !before.has(key) && !shared.tables.includes(table),
        );
        newRows.forEach(([key, row]) => {
          watched.add(key);
          registerRow(row);
        });
        // The tenant may change its own rows.
        const changed = [...before.keys()].filter((key) => !after.has(key));
        changed.forEach((key) => void watched.delete(key));
        return created;
      }

      const tenant: WatchedRows = {
        add,
        findIn: (text, requestedValues) => findIn(text, { ids, marks, requestedValues }),
        listEmptyTables: async () =>
          (await listTenantTables(database)).filter((name) => !filled.has(name)),
      };
      tenants.push(tenant);
      return tenant;
    },

    async findChanges(requestedValues) {
      const rows = await read();
      const lost = [...watched].filter((key) => !rows.has(key));
      // Reported once, for the first call after which it appears.
      for (const key of lost) watched.delete(key);
      const newRows = [...rows].filter(([key]) => !previousKeys.has(key) && !watched.has(key));
      previousKeys = new Set(rows.keys());
      const naming = newRows.flatMap(([key, { text }]) => {
        const namedIds = tenants.flatMap(({ findIn: find }) => find(text, requestedValues));
        return namedIds.length > 0 ? [`a row names ${namedIds.join(', ')}: ${key}`] : [];
      });
      return [...lost.map((key) => `a row is gone or changed: ${key}`), ...naming];
    },
  };
}

type RowVersion = { table: string; version: string; text: string | null };

/** Reads the rows of all tables. The content of a row is read once, as the callers read hundreds of times. */
async function createReader({ lookUps }: Store): Promise<() => Promise<Map<string, Row>>> {
  const statement = await createStatement({ lookUps });
  let readRows = new Map<string, Row>();
  let horizon: string | undefined;

  function getRow({ table, version, text }: RowVersion): Row {
    if (text !== null) return { table, text, key: `${table} ${text}` };
    const row = readRows.get(`${table} ${version}`);
    if (!row) throw new Error(`A row of ${table} was not read when it was new`);
    return row;
  }

  return async function read() {
    const { rows } = await lookUps.query<RowVersion>(statement, [horizon]);
    const stored = rows.filter(({ table }) => table !== '');
    readRows = new Map(stored.map((each) => [`${each.table} ${each.version}`, getRow(each)]));
    horizon = rows.find(({ table }) => table === '')?.version;
    return new Map([...readRows.values()].map((row) => [row.key, row]));
  };
}

/**
 * One statement over all existing tables, so that new tables are included. The row without a table is the oldest
 * transaction that may still add rows; given the one of an earlier read, rows of older transactions come without their content.
 */
async function createStatement({ lookUps }: Store): Promise<string> {
  const { rows } = await lookUps.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`,
  );
  const isNew = '$1::text IS NULL OR age(t.xmin) <= age($1::text::xid)';
  const reads = rows.map(
    ({ name }) =>
      `SELECT '${name}', t.ctid::text || ' ' || t.xmin::text,
              CASE WHEN ${isNew} THEN to_jsonb(t)::text END FROM "${name}" t`,
  );
  const snapshot = `SELECT '' AS "table", pg_snapshot_xmin(pg_current_snapshot())::xid::text AS version,
                           NULL::text AS text`;
  return [snapshot, ...reads].join(' UNION ALL ');
}

async function listTenantTables({ lookUps }: Store): Promise<string[]> {
  const { rows } = await lookUps.query<{ name: string }>(
    `SELECT DISTINCT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name IN ('app_id', 'account_id')`,
  );
  return rows.map(({ name }) => name);
}

type SearchTerms = {
  ids: ReadonlySet<string>;
  marks: readonly string[];
  requestedValues: ReadonlySet<string> | undefined;
};

function findIn(text: string, { ids, marks, requestedValues }: SearchTerms): string[] {
  const candidates = new Set([...findIds(text), ...marks.filter((mark) => text.includes(mark))]);
  return [...candidates].filter((id) => ids.has(id) && !requestedValues?.has(id));
}

/** UUIDs, and hashes as the dashboard shows them. */
function findIds(text: string): string[] {
  return text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}/g) ?? [];
}
