import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase, type Database, migrate } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import type { Browser } from '../attacks/browser';
import { createSetUpToken, setUp } from '../attacks/target';
import { startProcess, type TestProcess } from '../child-process';
import { createFactories, type Factories, type Tenant, testKeyRing } from '../factories';
import { ownPostgres, ownRedis } from '../own-stores';
import { repositoryRoot } from '../test-stores';
import type { BlockReport } from './block-watch';

/** A built process with the block watch loaded. */
export type Watched = {
  url: string;
  process: TestProcess;
  /** Block time and growth since the previous call. */
  read(): Promise<BlockReport>;
};

export type Program = 'gateway' | 'dashboard' | 'worker';

/** The built system on separate stores, with the accounts of an attacker and a bystander. */
export type World = {
  database: Database;
  factories: Factories;
  attacker: Tenant;
  bystander: Tenant;
  /** Signed in to the attacker's account. */
  browser: Browser;
  programs: Record<Program, Watched>;
  /** The run is ending: no kind may start anything more. */
  isAborted(): boolean;
  /** Restarts the processes, so that one kind's memory does not count for the next. Returns the names of those that did not end on request. */
  restart(): Promise<Program[]>;
  close(): Promise<void>;
};

const entries: Record<Program, string> = {
  gateway: 'apps/api/dist/main.js',
  dashboard: 'apps/dashboard/dist/server/main.js',
  worker: 'apps/worker/dist/main.js',
};
const readyLines: Record<Program, string> = {
  gateway: 'api.ready',
  dashboard: 'dashboard.ready',
  worker: 'worker.ready',
};

export async function openWorld(signal?: AbortSignal): Promise<World> {
  const closers: (() => unknown)[] = [];
  async function close(): Promise<void> {
    for (const each of closers.splice(0).reverse()) await each();
  }
  try {
    const isAborted = () => signal?.aborted ?? false;
    return { ...(await build(closers)), isAborted, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(closers: (() => unknown)[]) {
  const folder = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-abuse-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await ownPostgres();
  closers.push(() => postgres.remove());
  const redis = await ownRedis({ persistence: false });
  closers.push(() => redis.remove());
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  const log = createLogger({ level: 'error', process: 'abuse' });
  const database = createDatabase({ url: postgres.url, poolSize: 2, log });
  closers.push(() => database.close());
  const factories = createFactories(database);
  const [attacker, bystander] = [await factories.createTenant(), await factories.createTenant()];
  const env = { ...settings, DATABASE_URL: postgres.url, REDIS_URL: redis.url };

  const programs = await startPrograms(folder, env);
  async function stopAll(): Promise<Program[]> {
    const names = Object.keys(entries) as Program[];
    const stopped = await Promise.allSettled(names.map((name) => programs[name].process.stop()));
    return names.filter((_, index) => stopped[index]?.status === 'rejected');
  }
  closers.push(stopAll);
  const port = new URL(programs.dashboard.url).port;
  const token = await createSetUpToken(postgres.url, attacker.accountId);
  const browser = await setUp(programs.dashboard.url, token, 'attacker@example.com');

  return {
    ...{ database, factories, attacker, bystander, browser, programs },
    async restart() {
      const stuck = await stopAll();
      // The browser's cookie and origin stay valid.
      Object.assign(programs, await startPrograms(folder, { ...env, DASHBOARD_PORT: port }));
      return stuck;
    },
  };
}

/** The Node options that `npm start` sets. */
const settings: Record<string, string> = {
  REDIS_PREFIX: 'abuse',
  BELFRY_KEYS: testKeyRing,
  PUBLIC_URL: 'http://127.0.0.1',
  ALLOW_HTTP: 'true',
  ALLOWED_PRIVATE_HOSTS: 'localhost,127.0.0.1,::1',
  API_PORT: '0',
  DASHBOARD_PORT: '0',
};

async function startPrograms(
  folder: string,
  env: Record<string, string>,
): Promise<Record<Program, Watched>> {
  const [gateway, dashboard, worker] = await Promise.all([
    startWatched('gateway', folder, env),
    startWatched('dashboard', folder, env),
    startWatched('worker', folder, env),
  ]);
  return { gateway, dashboard, worker };
}

export const watchFile = path.join(repositoryRoot, 'packages/testing/dist/abuse/block-watch.js');

async function startWatched(
  program: Program,
  folder: string,
  env: Record<string, string>,
): Promise<Watched> {
  const socket = path.join(folder, `${program}.sock`);
  const started = startProcess(entries[program], {
    ...env,
    WATCH_SOCKET: socket,
    NODE_OPTIONS: `--require=${watchFile}`,
  });
  const { url } = await started.waitForLine(readyLines[program]);
  return {
    url: String(url),
    process: started,
    read: () => readWatch(socket).catch(() => unanswered),
  };
}

/** Far beyond any permitted block of a process. */
const readTimeoutMs = 60_000;

/** A process that does not answer, or has ended, blocked its callers for at least this long. */
const unanswered: BlockReport = {
  blockMs: readTimeoutMs,
  heldMs: readTimeoutMs,
  startMb: 0,
  peakMb: 0,
};

export function readWatch(socket: string): Promise<BlockReport> {
  return new Promise((resolve, reject) => {
    let text = '';
    const connection = net.connect(socket);
    connection.setTimeout(readTimeoutMs, () => connection.destroy(new Error('No answer')));
    connection.on('data', (part) => {
      text += part.toString();
    });
    connection.once('error', reject);
    // Written by the block watch.
    connection.once('end', () => resolve(JSON.parse(text) as BlockReport));
  });
}
