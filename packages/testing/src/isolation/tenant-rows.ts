import type { Database } from '@belfry/database';
import { webhookTypes } from '@belfry/shared';

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

/** Every account can queue an example of a webhook. */
const exampleIds = new Set(findIds(JSON.stringify(webhookTypes)));

type Store = Pick<Database, 'lookUps'>;
type Row = { table: string; text: string; key: string };

export async function createRowWatch(database: Store): Promise<RowWatch> {
  const rows = await createRows(database);
  const watched = new Set<string>();
  const tenants: WatchedRows[] = [];
  /** Rows that were added since the last `findChanges`. */
  const unreported = new Map<string, Row>();

  async function read(): Promise<Change> {
    const change = await rows.read();
    for (const key of change.removed) unreported.delete(key);
    for (const row of change.added) unreported.set(row.key, row);
    return change;
  }

  return {
    watch({ marks, shared = { ids: [], tables: [] } }) {
      const ids = new Set(marks);
      const filled = new Set<string>();

      function registerRow({ table, text }: Row): void {
        filled.add(table);
        const own = findIds(text).filter((id) => !shared.ids.includes(id) && !exampleIds.has(id));
        for (const id of own) ids.add(id);
      }

      async function add<T>(create: () => Promise<T>): Promise<T> {
        await read();
        const created = await create();
        const { added, removed } = await read();
        for (const row of added.filter(({ table }) => !shared.tables.includes(table))) {
          watched.add(row.key);
          registerRow(row);
        }
        // The tenant may change its own rows.
        for (const key of removed) watched.delete(key);
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
      await read();
      const lost = [...watched].filter((key) => !rows.has(key));
      // Reported once, for the first call after which it appears.
      for (const key of lost) watched.delete(key);
      const newRows = [...unreported.values()].filter(({ key }) => !watched.has(key));
      unreported.clear();
      const naming = newRows.flatMap(({ key, text }) => {
        const namedIds = tenants.flatMap(({ findIn: find }) => find(text, requestedValues));
        return namedIds.length > 0 ? [`a row names ${namedIds.join(', ')}: ${key}`] : [];
      });
      return [...lost.map((key) => `a row is gone or changed: ${key}`), ...naming];
    },
  };
}

type Change = { added: Row[]; removed: string[] };
type Rows = {
  has(key: string): boolean;
  /** The difference to the last time. */
  read(): Promise<Change>;
};
/** The positions of a table's rows with their transactions, and the content of those that may be new. */
type TableVersions = { table: string; versions: string[]; texts: Record<string, string> | null };

/** The rows of all tables. The content of a row is read once, as the callers read hundreds of times. */
async function createRows({ lookUps }: Store): Promise<Rows> {
  const statement = await createStatement({ lookUps });
  const tables = new Map<string, Map<string, Row>>();
  /** The number of rows with the same content. */
  const counts = new Map<string, number>();
  let horizon: string | undefined;

  function count({ key }: Row, more: 1 | -1): number {
    const counted = (counts.get(key) ?? 0) + more;
    if (counted === 0) counts.delete(key);
    else counts.set(key, counted);
    return counted;
  }

  function addNew({ table, versions, texts }: TableVersions): Row[] {
    const rows = tables.get(table) ?? new Map<string, Row>();
    tables.set(table, rows);
    return versions.flatMap((version) => {
      if (rows.has(version)) return [];
      const row = toRow(table, texts?.[version]);
      rows.set(version, row);
      return count(row, 1) === 1 ? [row] : [];
    });
  }

  function removeMissing({ table, versions }: TableVersions): string[] {
    const rows = tables.get(table);
    if (!rows || rows.size === versions.length) return [];
    const current = new Set(versions);
    return [...rows].flatMap(([version, row]) => {
      if (current.has(version)) return [];
      rows.delete(version);
      return count(row, -1) === 0 ? [row.key] : [];
    });
  }

  async function read(): Promise<Change> {
    const { rows } = await lookUps.query<TableVersions>(statement, [horizon]);
    horizon = rows.find(({ table }) => table === '')?.versions[0];
    const stored = rows.filter(({ table }) => table !== '');
    return { added: stored.flatMap(addNew), removed: stored.flatMap(removeMissing) };
  }

  return { has: (key) => counts.has(key), read };
}

function toRow(table: string, text: string | undefined): Row {
  if (text === undefined) throw new Error(`A row of ${table} was not read when it was new`);
  return { table, text: withoutTerm(text), key: `${table} ${text}` };
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
  const version = "t.ctid::text || ' ' || t.xmin::text";
  const reads = rows.map(
    ({ name }) =>
      `SELECT '${name}', COALESCE(json_agg(${version}), '[]'),
              json_object_agg(${version}, to_jsonb(t)::text) FILTER (WHERE ${isNew}) FROM "${name}" t`,
  );
  const snapshot = `SELECT '' AS "table", json_build_array(pg_snapshot_xmin(pg_current_snapshot())::xid::text) AS versions,
                           NULL::json AS texts`;
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

/** A row's text without a search term: it has the form of an ID, but is a hash of what the caller sent. */
function withoutTerm(text: string): string {
  return text.replace(/"term": "[^"]*"/, '"term": ""');
}

/** UUIDs, and hashes as the dashboard shows them. */
function findIds(text: string): string[] {
  return text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}/g) ?? [];
}
