import type { Findings } from '@belfry/runtime';
import type pg from 'pg';
import { keptSetting } from './client';
import { describeOlderDatabase, readSchemaVersion, type SchemaVersion } from './migrate';
import { inTransaction, type Queryable } from './transaction';

export type PostgresFacts = {
  /** `server_version_num`: 150004 is 15.4. */
  version: number;
  fsync: string;
  synchronousCommit: string;
  /** Whether the connection has the settings that its client asked for. */
  isSettingKept: boolean;
  isReadOnly: boolean;
};

export type PostgresCheckDeps = { pool: pg.Pool; databaseUrl: string; migrationsDir: string };

/** Checks the server and its schema. Rejects when PostgreSQL does not answer. */
export async function checkPostgres(deps: PostgresCheckDeps): Promise<Findings> {
  const { pool, databaseUrl, migrationsDir } = deps;
  const server = await listServerProblems(pool);
  const schema = judgeSchema(await readSchemaVersion(databaseUrl, migrationsDir));
  return { refusals: [...server, ...schema], warnings: [] };
}

async function listServerProblems(pool: pg.Pool): Promise<string[]> {
  try {
    // In a transaction of several round trips, which a pooler in statement mode refuses.
    return judgePostgres(await inTransaction(pool, readPostgresFacts));
  } catch (error) {
    const problem = describePoolerProblem(error);
    if (problem === undefined) throw error;
    return [problem];
  }
}

async function readPostgresFacts(client: Queryable): Promise<PostgresFacts> {
  const { rows } = await client.query<PostgresFacts>(
    `SELECT current_setting('server_version_num')::int AS version,
            current_setting('fsync') AS fsync,
            current_setting('synchronous_commit') AS "synchronousCommit",
            current_setting($1, true) = 'on' AS "isSettingKept",
            current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
    [keptSetting],
  );
  const [facts] = rows;
  if (!facts) throw new Error('PostgreSQL returned no settings');
  return facts;
}

const poolerAdvice =
  'DATABASE_URL leads to a pooler. Set DATABASE_POOLING=transaction and DATABASE_DIRECT_URL (see docs/how-to/use-managed-postgresql.md).';

/** The problem if PgBouncer refused the connection or the transaction; undefined for other errors. */
function describePoolerProblem(error: unknown): string | undefined {
  const message = findDriverMessage(error);
  if (/unsupported startup parameter/.test(message)) return `PostgreSQL: ${poolerAdvice}`;
  if (/statement pooling mode/.test(message)) {
    return 'PostgreSQL: the pooler is in statement mode. Set its pool_mode to transaction.';
  }
  return undefined;
}

function findDriverMessage(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.message} ${findDriverMessage(error.cause)}`;
}

const oldestVersion = 150_000;

/** Returns what is wrong and what to do. An accepted request must be durable. */
export function judgePostgres(facts: PostgresFacts): string[] {
  const { version, fsync, synchronousCommit, isSettingKept, isReadOnly } = facts;
  const problems: string[] = [];
  if (isReadOnly) {
    problems.push(
      'PostgreSQL: this server is a replica or read-only. Use the URL of the primary, or name all servers: ' +
        'postgresql://user:password@one:5432,two:5432/belfry?target_session_attrs=read-write.',
    );
  }
  if (!isSettingKept) {
    problems.push(`PostgreSQL: the settings of a connection are dropped. ${poolerAdvice}`);
  }
  if (version < oldestVersion) {
    const displayVersion = `${Math.floor(version / 10_000)}.${version % 10_000}`;
    problems.push(`PostgreSQL: version ${displayVersion} is too old. Install 15 or newer.`);
  }
  if (fsync !== 'on') {
    problems.push(
      `PostgreSQL: fsync is ${fsync}, so a power failure could lose accepted requests. ` +
        'Run: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();',
    );
  }
  if (synchronousCommit === 'off') {
    problems.push(
      'PostgreSQL: synchronous_commit is off, so a crash could lose accepted requests. ' +
        'Run: ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf(); ' +
        'then look for a role or database that overrides it.',
    );
  }
  return problems;
}

/** A process must not start on an older or a newer schema. */
export function judgeSchema({ state, missing, unknown }: SchemaVersion): string[] {
  switch (state) {
    case 'ok':
      return [];
    case 'older':
      return [`PostgreSQL: ${describeOlderDatabase(unknown[0] ?? '')}`];
    case 'behind':
      return [
        `PostgreSQL: the schema is behind by ${missing.length} (${missing.join(', ')}). ` +
          'Run: npm run db:migrate (in a container: node apps/cli/dist/main.js migrate).',
      ];
    case 'ahead':
      return [
        `PostgreSQL: the schema is ahead of this version of Belfry, which does not know ${unknown.join(', ')}. ` +
          'Start the version that added it. Migrations cannot be undone; to go back, restore a backup.',
      ];
  }
}
