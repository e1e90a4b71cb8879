import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { choosePort } from './ports';
import { findPostgresBinaries } from './postgres-binaries';
import { endPostgres, findRunning, removeStaleLock } from './postgres-lock';
import { choosePlace, readElsewhere } from './postgres-place';
import {
  type Cluster,
  createDatabase,
  database,
  type RoleOptions,
  role,
  setPassword,
} from './postgres-role';
import { readPassword } from './private-files';
import { hasEnded } from './process-facts';
import { createSteps, type OnProgress, type Step } from './progress';
import { run } from './run';
import { openFolder, type RunningStore, rotateLog, StoreError } from './store';

export type PostgresOptions = RoleOptions & { dataDir: string; onProgress?: OnProgress };

type Login = { cluster: Cluster; password: string };

/** Not the role that programs connect as: it cannot connect. */
const superuser = 'belfry';
const initTimeoutMs = 60_000;
const startTimeoutS = 60;
const startAttempts = 5;
const startRetryWaitMs = 500;
const stopTimeoutS = 15;
const logTailLines = 8;

/** Durable settings: an accepted request must survive a crash. */
const serverSettings = [
  'listen_addresses=127.0.0.1',
  "unix_socket_directories=''",
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'max_connections=200',
  'superuser_reserved_connections=0',
  'shared_buffers=128MB',
  'max_wal_size=1GB',
  'checkpoint_timeout=15min',
  'jit=off',
  'timezone=UTC',
  'log_timezone=UTC',
];

/**
 * The PostgreSQL of this folder: uses a running server, else starts one. The first start creates the data. Only programs
 * of this machine that know the password can connect.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningStore> {
  const step = createSteps('postgres', options.onProgress);
  const folder = openFolder(options.dataDir);
  await endWithoutPassword(readElsewhere(folder) ?? folder);
  const place = await choosePlace(folder, await findPostgresBinaries(), step);
  const cluster: Cluster = { ...place, data: path.join(place.folder, 'data') };
  const { data } = cluster;

  if (!existsSync(data)) await step('creating the data folder', () => createData(cluster));
  refuseOtherVersion(cluster);
  const password =
    readPassword(cluster.folder) ??
    (await step('setting a password', () => setPassword(cluster, options)));
  const login: Login = { cluster, password };
  const { pid, port } =
    (await findRunning(data, password)) ?? (await step('starting', () => start(login, step)));
  const url = `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
  return { url, port, pid, folder: cluster.folder, stop: () => stop(cluster, pid) };
}

/** An earlier version started its server without a password, open to every user of this machine. */
async function endWithoutPassword(folder: string): Promise<void> {
  if (readPassword(folder) !== undefined) return;
  const data = path.join(folder, 'data');
  await endPostgres(data);
  await removeStaleLock(data);
}

/** Created in a temporary folder and renamed when complete, so that an interrupted first start leaves nothing. */
async function createData(cluster: Cluster): Promise<void> {
  const { data, binaries, as } = cluster;
  const temporaryFolder = `${data}.new`;
  rmSync(temporaryFolder, { recursive: true, force: true });
  const result = await run(
    binaries.initdb,
    [
      ...['-D', temporaryFolder, '-U', superuser, '--auth=reject', '--encoding=UTF8'],
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ],
    { timeoutMs: initTimeoutMs, as },
  );
  if (result.code !== 0) throw new Error(`initdb failed in ${data}: ${result.stderr}`);
  await createDatabase({ ...cluster, data: temporaryFolder });
  renameSync(temporaryFolder, data);
}

function refuseOtherVersion({ folder, data, binaries }: Cluster): void {
  const version = readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim();
  if (version === binaries.version.split('.')[0]) return;
  throw new StoreError(
    `${data} was created by PostgreSQL ${version}; this is ${binaries.version}. ` +
      `To start over without its data: rm -rf ${folder}. To use another server, set DATABASE_URL.`,
  );
}

/** Retries: another program may take the port, and after a crash the old server's children need time to exit. */
async function start(
  { cluster, password }: Login,
  step: Step,
): Promise<{ pid: number; port: number }> {
  const { folder, data, binaries, as } = cluster;
  const log = rotateLog(folder, 'server.log');
  let problem = '';
  for (let attempt = 1; attempt <= startAttempts; attempt += 1) {
    await removeStaleLock(data);
    const port = await choosePort(folder);
    const options = [`-p ${port}`, ...serverSettings.map((setting) => `-c ${setting}`)].join(' ');
    const args = ['start', '-D', data, '-l', log, '-w', '-t', String(startTimeoutS), '-o', options];
    const started = await run(binaries.pgCtl, args, { timeoutMs: startTimeoutS * 1_100, as });
    const running = await findRunning(data, password);
    if (running) return running;
    problem = started.stderr;
    await step(`retrying (${attempt} of ${startAttempts})`, () => wait(startRetryWaitMs));
  }
  throw new Error(`PostgreSQL did not start: ${problem}\n${tail(log)}`);
}

function tail(log: string): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-logTailLines).join('\n');
  } catch {
    return '';
  }
}

async function stop({ data, binaries, as }: Cluster, pid: number): Promise<void> {
  for (const mode of ['fast', 'immediate']) {
    if (await hasEnded(pid, 1)) return;
    const args = ['stop', '-D', data, '-w', '-t', String(stopTimeoutS), '-m', mode];
    await run(binaries.pgCtl, args, { timeoutMs: stopTimeoutS * 1_100, as });
  }
  if (!(await hasEnded(pid, 1))) throw new Error(`PostgreSQL (process ${pid}) did not stop`);
}
