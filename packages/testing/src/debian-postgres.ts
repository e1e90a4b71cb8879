import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@belfry/embedded';
import pg from 'pg';
import { eventually } from './eventually';

/** PostgreSQL 15 with its tools, and PgBouncer, from Debian's packages. They run as the user `postgres`, so tests need root. */
export const binaries = '/usr/lib/postgresql/15/bin';
const pgbouncer = '/usr/sbin/pgbouncer';

const isRoot = process.getuid?.() === 0;
/** Whether both are installed and can be started. */
export const hasDebianPostgres =
  isRoot && [path.join(binaries, 'pg_basebackup'), pgbouncer].every(existsSync);

const run = promisify(execFile);
const database = 'belfry';
const user = 'belfry_app';
const startTimeoutMs = 30_000;

/** A program runs as `postgres`: the servers refuse root. */
export async function runAsPostgres(program: string, args: string[]): Promise<void> {
  await run('setpriv', [...asPostgres, program, ...args]);
}

export const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];

export function spawnAsPostgres(program: string, args: string[]): ChildProcess {
  return spawn('setpriv', [...asPostgres, program, ...args], { stdio: 'ignore' });
}

export async function createFolder(name: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), `belfry-${name}-`));
  await run('chown', ['postgres:postgres', folder]);
  chmodSync(folder, 0o700);
  return folder;
}

export async function waitUntilUp(url: string): Promise<void> {
  await eventually(() => query(url, 'SELECT 1'), { timeoutMs: startTimeoutMs });
}

/** Runs one statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export type Pooler = { url: string; stop(): Promise<void> };

export type PoolerOptions = {
  mode: 'session' | 'transaction' | 'statement';
  /** Lines added to its configuration. */
  more?: string;
};

/** Starts PgBouncer before the PostgreSQL of this URL. */
export async function startPgBouncer(serverUrl: string, options: PoolerOptions): Promise<Pooler> {
  const folder = await createFolder('pgbouncer');
  const port = await findFreePort();
  const server = new URL(serverUrl);
  const config = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]
${server.pathname.slice(1)} = host=${server.hostname} port=${server.port} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = ${options.mode}
default_pool_size = 10
max_client_conn = 500
logfile = ${folder}/log
${options.more ?? ''}
`,
  );
  writeFileSync(path.join(folder, 'users.txt'), `"${server.username}" "${server.password}"\n`);
  await run('chown', ['-R', 'postgres:postgres', folder]);
  const child = spawnAsPostgres(pgbouncer, [config]);
  const ended = once(child, 'exit');
  const url = new URL(serverUrl);
  url.port = String(port);
  async function stop(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    if (options.mode !== 'statement') await waitUntilUp(url.href);
    return { url: url.href, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type ReplicatedOptions = {
  /** False: commits do not wait for the replica. */
  isSynchronous?: boolean;
};

export type Replicated = {
  primaryUrl: string;
  replicaUrl: string;
  /** Names both servers. */
  url: string;
  /** SIGKILL for each process of the primary. */
  killPrimary(): Promise<void>;
  /** SIGKILL for the replica. */
  killReplica(): Promise<void>;
  /** The replica becomes the primary. */
  promote(): Promise<void>;
  remove(): Promise<void>;
};

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A primary and a streaming replica. By default a commit waits for both. */
export async function startReplicatedPostgres({
  isSynchronous = true,
}: ReplicatedOptions = {}): Promise<Replicated> {
  const folder = await createFolder('replicated');
  const data = { primary: path.join(folder, 'primary'), replica: path.join(folder, 'replica') };
  const ports = { primary: await findFreePort(), replica: await findFreePort() };
  const getUrl = (port: number, name = database) =>
    `postgresql://${user}@127.0.0.1:${port}/${name}`;
  const started: ChildProcess[] = [];
  function start(dir: string, port: number, settings: string[] = []): ChildProcess {
    const options = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const flags = [...options, ...settings].flatMap((each) => ['-c', each]);
    const child = spawnAsPostgres(path.join(binaries, 'postgres'), ['-D', dir, ...flags]);
    started.push(child);
    return child;
  }

  await runAsPostgres(path.join(binaries, 'initdb'), [
    ...['-D', data.primary, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C'],
  ]);
  const primary = start(data.primary, ports.primary, ['max_connections=200', 'wal_level=replica']);
  await waitUntilUp(getUrl(ports.primary, 'postgres'));
  await query(getUrl(ports.primary, 'postgres'), `CREATE DATABASE ${database}`);
  await runAsPostgres(path.join(binaries, 'pg_basebackup'), [
    ...['-h', '127.0.0.1', '-p', String(ports.primary), '-U', user, '-D', data.replica],
    ...['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast'],
  ]);
  const replica = start(data.replica, ports.replica, ['max_connections=200']);
  await waitUntilUp(getUrl(ports.replica));
  const standbys = isSynchronous ? '*' : '';
  await query(getUrl(ports.primary), `ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`);
  await query(getUrl(ports.primary), 'SELECT pg_reload_conf()');

  return {
    primaryUrl: getUrl(ports.primary),
    replicaUrl: getUrl(ports.replica),
    url: `postgresql://${user}@127.0.0.1:${ports.primary},127.0.0.1:${ports.replica}/${database}?target_session_attrs=read-write`,
    killPrimary: () => kill(primary),
    killReplica: () => kill(replica),
    async promote() {
      await query(getUrl(ports.replica), 'SELECT pg_promote()');
    },
    async remove() {
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = once(child, 'exit');
        child.kill('SIGQUIT');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
