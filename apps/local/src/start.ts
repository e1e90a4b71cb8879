import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database, Demo } from '@belfry/database';
import { type OnProgress, writePrivately } from '@belfry/embedded';
import type { Logger, Shutdown } from '@belfry/runtime';
import { type Children, createChildren } from './children';
import { type Choices, claimPort, type Variables } from './choices';
import { startDemoPage } from './demo-page';
import { recordRun } from './earlier-run';
import type { Ending } from './ending';
import { createFeed, type Feed } from './feed';
import { findKeyRing } from './key-ring';
import type { LocalPaths } from './local-paths';
import type { Paint } from './paint';
import { type Preparation, startPreparation } from './preparation';
import { hasDashboard, listPrograms } from './programs';
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
const databasePoolSize = 2;

/** Starts everything and prints the summary. */
export async function start(session: Session): Promise<void> {
  const { paths, choices, ending, shutdown } = session;
  const ports = await claimPorts(session);
  const run = await recordRun(paths.run);
  shutdown.add('record of this run', run.end);
  const preparation = startPreparation();
  shutdown.add('preparation', preparation.close);
  const stores = await startStores(session, shutdown, session.onProgress);
  ending.signal.throwIfAborted();

  await migrateStore(session, preparation, stores);
  ending.signal.throwIfAborted();

  const keyRing = choices.keyRing ?? findKeyRing(paths.keys);
  const feed = openFeed(session, stores);
  const children = openChildren(session, feed, run.add);
  const roles = choices.hasProcessPerRole ? await listRoles() : [];
  const programs = listPrograms({ ...session, ...stores, ...ports, keyRing, roles });
  // Concurrently: they are independent, and each takes about 1 s.
  const [demo] = await Promise.all([
    seed(session, preparation, { ...stores, keyRing }),
    inStep(session, 'starting the gateway and workers', () => children.startAll(programs)),
  ]);
  ending.signal.throwIfAborted();

  const setUpUrl = await createSetUpLink(preparation, stores, { ...ports, ...demo });
  preparation.close();
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

async function migrateStore(
  session: Session,
  preparation: Preparation,
  { databaseUrl }: Stores,
): Promise<void> {
  const { paths, choices, log, paint, print } = session;
  const reset = choices.databaseUrl ? undefined : `rm -r ${paths.postgres} ${paths.redis}`;
  const { applied, edited } = await inStep(session, 'migrating the database', () =>
    preparation.run('migrate', { databaseUrl, migrations: paths.migrations, reset }),
  );
  if (applied.length > 0) log.info('migrated', { count: applied.length });
  for (const name of edited) {
    print(paint.yellow(`! Migration ${name} was edited after it was applied to this database.`));
  }
}

function seed(
  session: Session,
  preparation: Preparation,
  { databaseUrl, keyRing }: Stores & { keyRing: string },
): Promise<Demo> {
  const keysFile = session.paths.keys;
  return inStep(session, 'creating the demo account, app and events', () =>
    preparation.run('seed', { databaseUrl, keyRing, keysFile }),
  );
}

/** Link to create the first operator; undefined if there is an operator already, or no dashboard. */
async function createSetUpLink(
  preparation: Preparation,
  { databaseUrl }: Stores,
  { dashboardUrl, accountId }: Ports & Demo,
): Promise<string | undefined> {
  if (dashboardUrl === undefined) return undefined;
  const token = await preparation.run('createSetUpToken', { databaseUrl, accountId });
  // Browsers do not send the part after the hash, so no log contains the token.
  return token === undefined ? undefined : `${dashboardUrl}/set-up#${token}`;
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

async function listRoles(): Promise<string[]> {
  // Imported on demand, because they take memory: only `--processes` needs them.
  const { channelNames } = await import('@belfry/channels');
  const { commonRoles, getDeliverQueue } = await import('@belfry/shared');
  return [...channelNames.map(getDeliverQueue), ...commonRoles];
}

function openFeed({ paint, print, log, shutdown }: Session, { databaseUrl }: Stores): Feed {
  const load = createFeedLoader({ databaseUrl, log, shutdown });
  return createFeed({
    async listMessages(ids) {
      const { database, listFeedMessages } = await load();
      return listFeedMessages(database.lookUps, ids);
    },
    async listSkips(requestIds) {
      const { database, listFeedSkips } = await load();
      return listFeedSkips(database.lookUps, requestIds);
    },
    print: (line) => print(`${paint.dim(clock(new Date()))} ${line}`),
    paint,
  });
}

type FeedLoader = () => Promise<
  { database: Database } & Pick<
    typeof import('@belfry/pipeline/operate'),
    'listFeedMessages' | 'listFeedSkips'
  >
>;

/** Loads the database's code with the first message: at rest the supervisor does not need its memory. */
function createFeedLoader({
  databaseUrl: url,
  log,
  shutdown,
}: Pick<Session, 'log' | 'shutdown'> & Pick<Stores, 'databaseUrl'>): FeedLoader {
  let loading: ReturnType<FeedLoader> | undefined;
  async function load(): ReturnType<FeedLoader> {
    const { createDatabase } = await import('@belfry/database');
    const { listFeedMessages, listFeedSkips } = await import('@belfry/pipeline/operate');
    const database = createDatabase({ url, poolSize: databasePoolSize, log });
    shutdown.add('database', database.close);
    return { database, listFeedMessages, listFeedSkips };
  }
  return () => {
    loading ??= load();
    return loading;
  };
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
