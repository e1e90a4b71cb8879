import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';

/** A migration that failed, now or on an earlier run. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

export type MigrationResult = {
  /** Migrations that this call applied, in their order. */
  applied: string[];
  /** Migrations whose file was changed after they were applied: worth a warning, and nothing is done about them. */
  edited: string[];
};

/**
 * Applies what is missing from `<migrationsDir>/<name>/migration.sql`, in the order of the names. It keeps the same
 * table, checksums and lock as Prisma's own `migrate deploy`, so either may follow the other; of several that start at
 * once, one applies and the others find nothing to do.
 */
export async function migrate(
  databaseUrl: string,
  migrationsDir: string,
): Promise<MigrationResult> {
  const migrations = await readMigrations(migrationsDir);
  return withClient(databaseUrl, async (client) => {
    await lock(client);
    await client.query(tableOfMigrations);
    const appliedChecksums = await readAppliedChecksums(client);
    const applied: string[] = [];
    for (const migration of migrations.filter(({ name }) => !appliedChecksums.has(name))) {
      await apply(client, migration);
      applied.push(migration.name);
    }
    const edited = migrations.filter(
      ({ name, checksum }) => (appliedChecksums.get(name) ?? checksum) !== checksum,
    );
    return { applied, edited: edited.map(({ name }) => name) };
  });
}

export type SchemaVersion = {
  /** `ahead`: the database knows migrations that this code does not. `behind` wins when both are true. */
  state: 'ok' | 'behind' | 'ahead';
  missing: string[];
  unknown: string[];
};

/** Compares the database with the migrations of this code; changes nothing. */
export async function readSchemaVersion(
  databaseUrl: string,
  migrationsDir: string,
): Promise<SchemaVersion> {
  const names = (await readMigrations(migrationsDir)).map(({ name }) => name);
  return withClient(databaseUrl, async (client) => {
    const appliedChecksums = (await hasTable(client))
      ? await readAppliedChecksums(client)
      : new Map<string, string>();
    const missing = names.filter((name) => !appliedChecksums.has(name));
    const unknown = [...appliedChecksums.keys()].filter((name) => !names.includes(name)).sort();
    const stateIfComplete = unknown.length > 0 ? 'ahead' : 'ok';
    return { state: missing.length > 0 ? 'behind' : stateIfComplete, missing, unknown };
  });
}

type Migration = { name: string; sql: string; checksum: string };

/** The number that Prisma's engine locks as well. */
const lockKey = 72707369;
const lockTimeoutMs = 120_000;
const connectTimeoutMs = 10_000;

const tableOfMigrations = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id"                  VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum"            VARCHAR(64) NOT NULL,
  "finished_at"         TIMESTAMPTZ,
  "migration_name"      VARCHAR(255) NOT NULL,
  "logs"                TEXT,
  "rolled_back_at"      TIMESTAMPTZ,
  "started_at"          TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(dir, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function withClient<T>(
  databaseUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // A connection that breaks also fails the query that waits on it, which is where it is reported.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Held until the connection ends. */
async function lock(client: Client): Promise<void> {
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
  await client.query('RESET lock_timeout');
}

async function hasTable(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ table: string | null }>(
    `SELECT to_regclass('"_prisma_migrations"')::text AS table`,
  );
  return rows[0]?.table != null;
}

/** Name to checksum of what was applied; refuses when one of them was begun and never finished. */
async function readAppliedChecksums(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string; is_finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS is_finished
       FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`,
  );
  const failed = rows.find((row) => !row.is_finished);
  if (failed) {
    throw new MigrationError(
      `The migration ${failed.name} failed earlier; its reason is in the column logs of "_prisma_migrations". ` +
        'Undo by hand what it left, set its rolled_back_at to now(), then migrate again.',
    );
  }
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** On record before it runs, so that one that was cut off is known as failed. */
async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID();
  await client.query(
    'INSERT INTO "_prisma_migrations" (id, checksum, migration_name) VALUES ($1, $2, $3)',
    [id, checksum, name],
  );
  try {
    await client.query(sql);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    await client.query('ROLLBACK').catch(() => {});
    await client.query('UPDATE "_prisma_migrations" SET logs = $2 WHERE id = $1', [id, reason]);
    throw new MigrationError(`The migration ${name} failed: ${reason}`, { cause });
  }
  await client.query(
    'UPDATE "_prisma_migrations" SET finished_at = now(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}
