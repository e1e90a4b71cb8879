import { Client, escapeIdentifier } from 'pg';
import { hasCode } from './has-code';

const connectTimeoutMs = 10_000;
const statementTimeoutMs = 60_000;
const duplicateDatabase = '42P04';

/** Creates a database on the server of `url`, optionally as a copy of `template`; false if it exists. */
export async function createDatabase(
  url: string,
  name: string,
  template?: string,
): Promise<boolean> {
  const source = template ? ` TEMPLATE ${escapeIdentifier(template)}` : '';
  return withAdmin(url, async (client) => {
    try {
      await client.query(`CREATE DATABASE ${escapeIdentifier(name)}${source}`);
      return true;
    } catch (error) {
      if (hasCode(error, duplicateDatabase)) return false;
      throw error;
    }
  });
}

/** Closes all connections to a database and drops it, if it exists. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await withAdmin(url, (client) =>
    client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`),
  );
}

export function listDatabases(url: string): Promise<string[]> {
  return withAdmin(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE NOT datistemplate',
    );
    return rows.map(({ name }) => name);
  });
}

/** Process ids of the connections to a server on this machine. */
export function listBackends(url: string): Promise<number[]> {
  return withAdmin(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
    );
    return rows.map(({ pid }) => pid);
  });
}

/** The URL with another database. */
export function withDatabase(url: string, name: string): string {
  const databaseUrl = new URL(url);
  databaseUrl.pathname = `/${encodeURIComponent(name)}`;
  return databaseUrl.href;
}

async function withAdmin<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: withDatabase(url, 'postgres'),
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
