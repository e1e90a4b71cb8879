import path from 'node:path';
import type { PostgresPlace } from './postgres-place';
import { createPassword, getPasswordFile, writePrivately } from './private-files';
import { run } from './run';
import { StoreError } from './store';

export type Cluster = PostgresPlace & { data: string };

export type RoleOptions = {
  /** For tests, which create their own databases. */
  canCreateDatabases?: boolean;
  /** For the benchmark: its COPY reads and writes a file of the server. */
  canUseServerFiles?: boolean;
  /** For the benchmark: it counts the bytes of the write-ahead log from a checkpoint on. */
  canCheckpoint?: boolean;
};

/** The role that programs connect as. It owns the databases and has no rights over the server. */
export const role = 'belfry_app';
export const database = 'belfry';

const aloneTimeoutMs = 60_000;

/** A new cluster has only its superuser, who cannot connect: no line of pg_hba.conf allows it. */
export async function createDatabase(cluster: Cluster): Promise<void> {
  await runAlone(cluster, 'postgres', [`CREATE DATABASE ${database}`]);
}

/**
 * Creates the role with a new password, transfers the objects of an earlier version's superuser to it, and denies
 * everyone else. The password file is written last, so that an interrupted start repeats all of this.
 */
export async function setPassword(cluster: Cluster, options: RoleOptions): Promise<string> {
  const { folder, data, as } = cluster;
  const password = createPassword();
  await runAlone(cluster, database, listStatements(password, options));
  const onlyRole = `host all ${role} 127.0.0.1/32 scram-sha-256\n`;
  writePrivately(path.join(data, 'pg_hba.conf'), onlyRole, as.owner);
  writePrivately(getPasswordFile(folder), `${password}\n`);
  return password;
}

function listStatements(password: string, options: RoleOptions): string[] {
  const createDatabases = options.canCreateDatabases ? 'CREATEDB' : 'NOCREATEDB';
  // DROP DATABASE ... WITH (FORCE) ends an autovacuum worker, which requires pg_signal_backend.
  const groups = [
    ...(options.canCreateDatabases ? ['pg_signal_backend'] : []),
    ...(options.canUseServerFiles ? ['pg_read_server_files', 'pg_write_server_files'] : []),
    ...(options.canCheckpoint ? ['pg_checkpoint'] : []),
  ];
  return [
    createRole,
    `ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEROLE ${createDatabases} NOREPLICATION NOBYPASSRLS PASSWORD '${password}'`,
    ...groups.map((group) => `GRANT ${group} TO ${role}`),
    handOver,
  ];
}

const createRole = `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role}; END IF;
END $$`;

const handOver = `DO $$ DECLARE statement text; BEGIN
  FOR statement IN
    SELECT format('ALTER DATABASE %I OWNER TO ${role}', datname) FROM pg_database
    WHERE datname <> 'postgres' AND NOT datistemplate
    UNION ALL
    SELECT format('ALTER TABLE %s OWNER TO ${role}', oid::regclass) FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm') AND relnamespace = 'public'::regnamespace
  LOOP EXECUTE statement; END LOOP;
END $$`;

/** Runs statements as the superuser in single-user mode: no client can connect meanwhile, and no password is needed. */
async function runAlone(cluster: Cluster, name: string, statements: string[]): Promise<void> {
  const { folder, data, binaries, as } = cluster;
  // A failed statement must not be logged: it may contain the password.
  const settings = ['exit_on_error=true', 'log_min_error_statement=panic'];
  const args = ['--single', '-j', ...settings.flatMap((setting) => ['-c', setting]), '-D', data];
  const { code, stderr } = await run(binaries.postgres, [...args, name], {
    timeoutMs: aloneTimeoutMs,
    as,
    // With -j, a statement ends at a blank line.
    input: statements.map((statement) => `${statement};\n\n`).join(''),
  });
  if (code === 0) return;
  const reason = /FATAL: +(.*)/.exec(stderr)?.[1] ?? stderr;
  throw new StoreError(
    `Could not set a password for the PostgreSQL in ${folder} (${reason}). ` +
      `To start over without its data: rm -rf ${folder}`,
  );
}
