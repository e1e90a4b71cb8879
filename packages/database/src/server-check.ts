import type { Findings } from '@belfry/runtime';
import type pg from 'pg';
import { describeOlderDatabase, readSchemaVersion, type SchemaVersion } from './migrate';

export type PostgresFacts = {
  /** `server_version_num`: 150004 is 15.4. */
  version: number;
  fsync: string;
  synchronousCommit: string;
};

export type PostgresCheckDeps = { pool: pg.Pool; databaseUrl: string; migrationsDir: string };

/** Checks the server and its schema. Rejects when PostgreSQL does not answer. */
export async function checkPostgres(deps: PostgresCheckDeps): Promise<Findings> {
  const { pool, databaseUrl, migrationsDir } = deps;
  const server = judgePostgres(await readPostgresFacts(pool));
  const schema = judgeSchema(await readSchemaVersion(databaseUrl, migrationsDir));
  return { refusals: [...server, ...schema], warnings: [] };
}

async function readPostgresFacts(pool: pg.Pool): Promise<PostgresFacts> {
  const { rows } = await pool.query<PostgresFacts>(
    `SELECT current_setting('server_version_num')::int AS version,
            current_setting('fsync') AS fsync,
            current_setting('synchronous_commit') AS "synchronousCommit"`,
  );
  const [facts] = rows;
  if (!facts) throw new Error('PostgreSQL returned no settings');
  return facts;
}

const oldestVersion = 150_000;

/** Returns what is wrong and what to do. An accepted request must be durable. */
export function judgePostgres({ version, fsync, synchronousCommit }: PostgresFacts): string[] {
  const problems: string[] = [];
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
