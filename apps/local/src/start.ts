import { createHash, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createAccess,
  createDatabase,
  type Database,
  type Demo,
  describeOlderDatabase,
  MigrationError,
  migrate,
  OlderDatabaseError,
  seedDemo,
} from '@belfry/database';
import { type OnProgress, writePrivately } from '@belfry/embedded';
import { listFeedMessages, listFeedSkips } from '@belfry/pipeline/operate';
import { createSecrets, type Logger, SecretError, type Shutdown } from '@belfry/runtime';
import { commonRoles, getDeliverQueue } from '@belfry/shared';
import { type Children, createChildren } from './children';
import { type Choices, claimPort, type Variables } from './choices';
import { startDemoPage } from './demo-page';
import { recordRun } from './earlier-run';
import type { Ending } from './ending';
import { createFeed, type Feed } from './feed';
import { findKeyRing } from './key-ring';
import type { LocalPaths } from './local-paths';
import type { Paint } from './paint';
import { hasDashboard, listPrograms } from './programs';
import { StartError } from './start-error';
import { formatSummary, type StartSummary } from './start-summary';
import { type Stores, startStores } from './stores';

/** Inputs and services of every step of a start. */
export type Session = {
  paths: LocalPaths;
  choices: Choices;
  env: Variables;
  version: string;
  startedAtMs: number;
  log: Logger;
  /** Everything that starts is registered here at once. */
  shutdown: Shutdown;
  ending: Ending;
  paint: Paint;
  onProgress: OnProgress;
  print(line: string): void;
};

type Ports = {
  apiUrl: string;
  apiPort: number;
  dashboardPort: number;
  dashboardUrl: string | undefined;
  demoPort: number;
};

const feedEveryMs = 250;
const setUpTokenBytes = 32;
const setUpLinkLivesMs = 30 * 60_000;
const databasePoolSize = 2;
/** The demo is written while all processes start and use the whole processor. */
const connectTimeoutMs = 10_000;

/** Starts everything and prints the summary. */
export async function start(session: Session): Promise<void> {
  const { paths, choices, ending, shutdown } = session;
  const ports = await claimPorts(session);
  const run = await recordRun(paths.run);
  shutdown.add('record of this run', run.end);
  const stores = await startStores(session, shutdown, session.onProgress);
  ending.signal.throwIfAborted();

  await migrateStore(session, stores);
  ending.signal.throwIfAborted();

  const keyRing = choices.keyRing ?? findKeyRing(paths.keys);
  const database = openDatabase(session, stores);
  const feed = openFeed(session, database);
  const children = openChildren(session, feed, run.add);
  const roles = choices.hasProcessPerRole ? await listRoles() : [];
  const programs = listPrograms({ ...session, ...stores, ...ports, keyRing, roles });
  // Concurrently: they are independent, and each takes about 1 s.
  const [demo] = await Promise.all([
    seed(session, database, keyRing),
    inStep(session, 'starting the gateway and workers', () => children.startAll(programs)),
  ]);
  ending.signal.throwIfAborted();

  const setUpUrl = await createSetUpLink(database, ports, demo);
  const page = await startDemoPage({ ...ports, ...demo, root: paths.root, port: ports.demoPort });
  shutdown.add('inbox demo', page.close);
  const processes = [...stores.processes, ...children.list()];
  printSummary(session, { ...ports, ...demo, ...stores, processes, setUpUrl });
  showFeed(session, feed);
}

async function claimPorts({ choices, env, paths }: Session): Promise<Ports> {
  const apiPort = await claimPort('API_PORT', choices.apiHost, choices.apiPort);
  const scheme = env['TLS_CERT_FILE'] ? 'https' : 'http';
  const apiUrl = `${scheme}://127.0.0.1:${apiPort}`;
  const demoPort = await claimPort('DEMO_PORT', '127.0.0.1', choices.demoPort);
  if (!hasDashboard(paths)) {
    const { dashboardPort } = choices;
    return { apiUrl, apiPort, demoPort, dashboardPort, dashboardUrl: undefined };
  }
  const dashboardPort = await claimPort('DASHBOARD_PORT', choices.apiHost, choices.dashboardPort);
  const dashboardUrl = `${scheme}://127.0.0.1:${dashboardPort}`;
  return { apiUrl, apiPort, demoPort, dashboardPort, dashboardUrl };
}

async function migrateStore(session: Session, { databaseUrl }: Stores): Promise<void> {
  const { paths, log, paint, print } = session;
  const { applied, edited } = await inStep(session, 'migrating the database', () =>
    migrate(databaseUrl, paths.migrations).catch((cause) => explainMigration(cause, session)),
  );
  if (applied.length > 0) log.info('migrated', { count: applied.length });
  for (const name of edited) {
    print(paint.yellow(`! Migration ${name} was edited after it was applied to this database.`));
  }
}

function openDatabase({ log, shutdown }: Session, { databaseUrl }: Stores): Database {
  const connection = { url: databaseUrl, poolSize: databasePoolSize, connectTimeoutMs };
  const database = createDatabase({ ...connection, log });
  shutdown.add('database', database.close);
  return database;
}

function seed(session: Session, database: Database, keyRing: string): Promise<Demo> {
  const secrets = createSecrets(keyRing);
  return inStep(session, 'creating the demo account, app and events', () =>
    seedDemo({ database, secrets }).catch((cause) => explainSecret(cause, session.paths)),
  );
}

/** Link to create the first operator; undefined if there is an operator already, or no dashboard. */
async function createSetUpLink(
  { lookUps }: Database,
  { dashboardUrl }: Ports,
  { accountId }: Demo,
): Promise<string | undefined> {
  const access = createAccess(lookUps);
  if (dashboardUrl === undefined || (await access.hasOperator())) return undefined;
  const token = randomBytes(setUpTokenBytes).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest();
  const link = {
    tokenHash,
    accountId,
    kind: 'setup',
    role: 'owner',
    livesMs: setUpLinkLivesMs,
  } as const;
  await access.createInvitation(link);
  // Browsers do not send the part after the hash, so no log contains the token.
  return `${dashboardUrl}/set-up#${token}`;
}

async function inStep<T>(
  { onProgress }: Session,
  step: string,
  work: () => Promise<T>,
): Promise<T> {
  const begunAt = performance.now();
  onProgress({ step, elapsedMs: 0, isDone: false });
  const result = await work();
  onProgress({ step, elapsedMs: Math.round(performance.now() - begunAt), isDone: true });
  return result;
}

function explainMigration(cause: unknown, { choices, paths }: Session): never {
  if (cause instanceof OlderDatabaseError) {
    const reset = choices.databaseUrl ? undefined : `rm -r ${paths.postgres} ${paths.redis}`;
    const text = describeOlderDatabase(cause.migration, reset);
    throw new StartError(text, { cause, isConfiguration: true });
  }
  if (cause instanceof MigrationError) throw new StartError(cause.message, { cause });
  throw cause;
}

function explainSecret(cause: unknown, { keys }: LocalPaths): never {
  if (!(cause instanceof SecretError)) throw cause;
  throw new StartError(
    `The current keys cannot open the secrets in this database (${cause.message}). ` +
      `Set BELFRY_KEYS to the key ring that sealed them, or write that ring to ${keys}.`,
    { cause },
  );
}

async function listRoles(): Promise<string[]> {
  // Imported on demand: the channels and their SDKs load slowly.
  const { channelNames } = await import('@belfry/channels');
  return [...channelNames.map(getDeliverQueue), ...commonRoles];
}

function openFeed({ paint, print }: Session, { prisma }: Database): Feed {
  return createFeed({
    listMessages: (ids) => listFeedMessages(prisma, ids),
    listSkips: (requestIds) => listFeedSkips(prisma, requestIds),
    print: (line) => print(`${paint.dim(clock(new Date()))} ${line}`),
    paint,
  });
}

function clock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

function openChildren(
  session: Session,
  feed: Feed,
  onStarted: (name: string, pid: number) => Promise<void>,
): Children {
  const { paths, shutdown, ending, paint, print } = session;
  const children = createChildren({
    logs: paths.logs,
    onStarted,
    onLine: feed.read,
    onRestart: (name, how) => print(paint.red(`!! ${name} ${how}. Restarting it.`)),
    onLost(name) {
      print(paint.red(`!! ${name} exited too often. See ${paths.logs}/${name}.log. Stopping.`));
      ending.lose();
    },
  });
  shutdown.add('processes', children.stopAll);
  return children;
}

type StartResult = Ports & Demo & Stores & Pick<StartSummary, 'setUpUrl'>;

function printSummary(session: Session, result: StartResult): void {
  const { paths, version, paint, print } = session;
  const summary: StartSummary = {
    ...result,
    demoUrl: `http://127.0.0.1:${result.demoPort}`,
    version,
    elapsedMs: performance.now() - session.startedAtMs,
    home: paths.home,
  };
  print(formatSummary(summary, paint));
  writeReady(paths, summary);
}

/** For scripts: when this file exists, everything is ready. */
function writeReady({ ready }: LocalPaths, summary: StartSummary): void {
  const text = {
    api_url: summary.apiUrl,
    dashboard_url: summary.dashboardUrl ?? null,
    set_up_url: summary.setUpUrl ?? null,
    demo_url: summary.demoUrl,
    api_key: summary.apiKey,
    app_id: summary.appId,
    event: summary.eventName,
    database_url: summary.databaseUrl,
    redis_url: summary.redisUrl,
    pids: Object.fromEntries([
      ['local', process.pid],
      ...summary.processes.map(({ name, pid }) => [name, pid]),
    ]),
  };
  writePrivately(ready, `${JSON.stringify(text, null, 2)}\n`);
}

function showFeed({ shutdown, log }: Session, feed: Feed): void {
  let isOver = false;
  async function showBatches(): Promise<void> {
    while (!isOver) {
      await wait(feedEveryMs, undefined, { ref: false });
      // If PostgreSQL is unavailable, only these lines are lost.
      await feed.show().catch((error: unknown) => log.warn('feed.not_shown', { error }));
    }
  }
  void showBatches();
  shutdown.add('feed', () => {
    isOver = true;
  });
}
