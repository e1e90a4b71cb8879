import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from 'pg';
import { connectToPrimary } from './primary';

/** A migration that failed, now or on an earlier run. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

/** Deletes all data of the database. */
const resetCommand = 'psql "$DATABASE_URL" -c "DROP SCHEMA public CASCADE; CREATE SCHEMA public"';

/** Says that a database has a migration from before the first one of this code, so it cannot be upgraded. */
export function describeOlderDatabase(migration: string, reset: string = resetCommand): string {
  return (
    `The database was created before the first release of Belfry (it has the migration ${migration}) and cannot be upgraded. ` +
    `Empty it (its data is lost), then migrate or start again: ${reset}`
  );
}

export class OlderDatabaseError extends MigrationError {
  readonly migration: string;

  constructor(migration: string) {
    super(describeOlderDatabase(migration));
    this.name = 'OlderDatabaseError';
    this.migration = migration;
  }
}

export type MigrationResult = {
  /** Migrations that this call applied, in order. */
  applied: string[];
  /** Migrations whose file changed after they were applied. They are reported only. */
  edited: string[];
};

/**
 * Applies the missing migrations `<migrationsDir>/<name>/migration.sql` in order of their names. It uses the table,
 * checksums and lock of Prisma's `migrate deploy`, so either command can follow the other. When several processes start
 * at once, one of them applies the migrations.
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
    const older = findOlder([...appliedChecksums.keys()], migrations);
    if (older !== undefined) throw new OlderDatabaseError(older);
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
  /**
   * `older`: the database is older than the first migration and cannot be upgraded. `ahead`: the database knows
   * migrations that this code does not. `older`, then `behind`, wins when several are true.
   */
  state: 'ok' | 'older' | 'behind' | 'ahead';
  missing: string[];
  unknown: string[];
};

/** Compares the database with the migrations of this code, without changing it. */
export async function readSchemaVersion(
  databaseUrl: string,
  migrationsDir: string,
): Promise<SchemaVersion> {
  const migrations = await readMigrations(migrationsDir);
  const names = migrations.map(({ name }) => name);
  return withClient(databaseUrl, async (client) => {
    const appliedChecksums = (await hasTable(client))
      ? await readAppliedChecksums(client)
      : new Map<string, string>();
    const missing = names.filter((name) => !appliedChecksums.has(name));
    const unknown = [...appliedChecksums.keys()].filter((name) => !names.includes(name)).sort();
    const facts = { missing, unknown };
    if (findOlder(unknown, migrations) !== undefined) return { state: 'older', ...facts };
    if (missing.length > 0) return { state: 'behind', ...facts };
    return { state: unknown.length > 0 ? 'ahead' : 'ok', ...facts };
  });
}

type Migration = { name: string; sql: string; checksum: string };

/** An applied migration from before the first one of this code. */
function findOlder(applied: string[], [first]: Migration[]): string | undefined {
  return first && applied.find((name) => name < first.name);
}

/** The advisory lock of Prisma's engine. */
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
  const client = await connectToPrimary({
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectTimeoutMs,
  });
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

/** Checksums of the applied migrations by name. Throws when a migration was started but not finished. */
async function readAppliedChecksums(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string; is_finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS is_finished
       FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`,
  );
  const failed = rows.find((row) => !row.is_finished);
  if (failed) {
    throw new MigrationError(
      `The migration ${failed.name} failed earlier; the column logs of "_prisma_migrations" has the reason. ` +
        'Undo its changes by hand, set its rolled_back_at to now(), then migrate again.',
    );
  }
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** Recorded before it runs, so that an interrupted migration counts as failed. */
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
