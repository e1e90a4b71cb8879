import path from 'node:path';
import type { PostgresPlace } from './postgres-place';
import { createPassword, getPasswordFile, writePrivately } from './private-files';
import { run } from './run';
import { StoreError } from './store';

export type Cluster = PostgresPlace & { data: string };

export type RoleOptions = {
  /** For tests, which create databases of their own. */
  canCreateDatabases?: boolean;
  /** For the benchmark, whose COPY reads and writes a file of the server. */
  canUseServerFiles?: boolean;
};

/** The role that programs connect as. It owns the databases and has no rights over the server. */
export const role = 'belfry_app';
export const database = 'belfry';

const aloneTimeoutMs = 60_000;

/** A bare cluster has only its superuser, who cannot connect: no line of pg_hba.conf admits it. */
export async function createDatabase(cluster: Cluster): Promise<void> {
  await runAlone(cluster, 'postgres', [`CREATE DATABASE ${database}`]);
}

/**
 * Creates the role with a new password, hands it what an earlier version's superuser owned, and admits nobody else. The
 * file with the password is written last, so that a start that was interrupted does all of this again.
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
  // DROP DATABASE ... WITH (FORCE) ends an autovacuum worker, which takes pg_signal_backend.
  const groups = [
    ...(options.canCreateDatabases ? ['pg_signal_backend'] : []),
    ...(options.canUseServerFiles ? ['pg_read_server_files', 'pg_write_server_files'] : []),
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

/** Runs statements as the superuser without a server: nobody can connect meanwhile, and no password is needed. */
async function runAlone(cluster: Cluster, name: string, statements: string[]): Promise<void> {
  const { folder, data, binaries, as } = cluster;
  // A statement that fails must not be logged: it may hold the password.
  const settings = ['exit_on_error=true', 'log_min_error_statement=panic'];
  const args = ['--single', '-j', ...settings.flatMap((setting) => ['-c', setting]), '-D', data];
  const { code, stderr } = await run(binaries.postgres, [...args, name], {
    timeoutMs: aloneTimeoutMs,
    as,
    // With -j a statement ends at a blank line.
    input: statements.map((statement) => `${statement};\n\n`).join(''),
  });
  if (code === 0) return;
  const reason = /FATAL: +(.*)/.exec(stderr)?.[1] ?? stderr;
  throw new StoreError(
    `The PostgreSQL in ${folder} cannot be given a password (${reason}). ` +
      `To start anew without its data: rm -rf ${folder}`,
  );
}
