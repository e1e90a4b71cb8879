import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createDatabase } from './databases';
import { choosePort } from './ports';
import { findPostgresBinaries } from './postgres-binaries';
import { findRunning, forgetDead } from './postgres-lock';
import { choosePlace, type PostgresPlace } from './postgres-place';
import { hasEnded } from './process-facts';
import { createSteps, type OnProgress, type Step } from './progress';
import { run } from './run';
import { openFolder, type RunningStore, turnLog } from './store';

type Cluster = PostgresPlace & { data: string };

const superuser = 'belfry';
const database = 'belfry';
const initTimeoutMs = 60_000;
const startTimeoutS = 60;
const startAttempts = 5;
const startRetryWaitMs = 500;
const stopTimeoutS = 15;
const logTailLines = 8;

/** Real settings of durability: this is the store that an accepted request is promised to be in. */
const serverSettings = [
  'listen_addresses=127.0.0.1',
  "unix_socket_directories=''",
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'max_connections=200',
  'shared_buffers=128MB',
  'max_wal_size=1GB',
  'checkpoint_timeout=15min',
  'jit=off',
  'timezone=UTC',
  'log_timezone=UTC',
];

/**
 * A PostgreSQL of its own for this folder: a server that still runs there is adopted, else one is started, after a
 * first start has made the data. Only programs of this machine reach it; they need no password.
 */
export async function startPostgres({
  dataDir,
  onProgress,
}: {
  dataDir: string;
  onProgress?: OnProgress;
}): Promise<RunningStore> {
  const step = createSteps('postgres', onProgress);
  const place = await choosePlace(openFolder(dataDir), await findPostgresBinaries(), step);
  const cluster: Cluster = { ...place, data: path.join(place.folder, 'data') };
  const { data } = cluster;

  if (!existsSync(data)) await step('creating the data folder', () => createData(cluster));
  refuseOtherVersion(cluster);
  const { pid, port } =
    (await findRunning(data)) ?? (await step('starting', () => start(cluster, step)));
  const url = `postgresql://${superuser}@127.0.0.1:${port}/${database}`;
  await createDatabase(url, database);
  return { url, port, pid, folder: cluster.folder, stop: () => stop(cluster, pid) };
}

/** Made beside its place and moved there when complete, so that a first start that was cut off leaves nothing. */
async function createData({ data, binaries, as }: Cluster): Promise<void> {
  const unfinished = `${data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  const made = await run(
    binaries.initdb,
    [
      ...['-D', unfinished, '-U', superuser, '--auth=trust', '--encoding=UTF8'],
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ],
    { timeoutMs: initTimeoutMs, as },
  );
  if (made.code !== 0) throw new Error(`initdb failed in ${data}: ${made.stderr}`);
  renameSync(unfinished, data);
}

function refuseOtherVersion({ data, binaries }: Cluster): void {
  const version = readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim();
  if (version === binaries.version.split('.')[0]) return;
  throw new Error(
    `${data} was made by PostgreSQL ${version}, this is ${binaries.version}. ` +
      'Move that folder away to begin anew, or set DATABASE_URL.',
  );
}

/** Tried several times: a port may be taken meanwhile, and after a crash the old server's children need a moment. */
async function start(cluster: Cluster, step: Step): Promise<{ pid: number; port: number }> {
  const { folder, data, binaries, as } = cluster;
  const log = turnLog(folder, 'server.log');
  let problem = '';
  for (let attempt = 1; attempt <= startAttempts; attempt += 1) {
    await forgetDead(data);
    const port = await choosePort(folder);
    const options = [`-p ${port}`, ...serverSettings.map((setting) => `-c ${setting}`)].join(' ');
    const args = ['start', '-D', data, '-l', log, '-w', '-t', String(startTimeoutS), '-o', options];
    const started = await run(binaries.pgCtl, args, { timeoutMs: startTimeoutS * 1_100, as });
    const running = await findRunning(data);
    if (running) return running;
    problem = started.stderr;
    await step(`trying again (${attempt} of ${startAttempts})`, () => wait(startRetryWaitMs));
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
