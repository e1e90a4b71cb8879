import path from 'node:path';
import { channelNames, channels } from '@belfry/channels';
import {
  type Access,
  createAccountApps,
  createAccountKeys,
  createAppEvents,
  createAppIntegrations,
  createAppUsers,
  createCategories,
  createDatabase,
  createDatabaseCheck,
  createInboxSecrets,
  createReadiness,
  createReplicaCheck,
  createReplicaReads,
  createSavedFilters,
  createSuppressionFiles,
  createSuppressions,
  createUserPreferences,
  type Database,
  findNamed,
  listHeartbeats,
  readAuditNames,
  readAuditPage,
  readServer,
} from '@belfry/database';
import {
  cancelMessage,
  countItems,
  createAppCaptures,
  createOverview,
  createQueueFacts,
  createRequestLog,
  createResendRuns,
  eraseUser,
  explainRequest,
  judgeResends,
  listErasures,
  readEligibility,
  readItems,
  readItemTimeline,
  readRequestTimeline,
  readUserMessages,
  resendMessage,
} from '@belfry/pipeline/operate';
import {
  createSecrets,
  type Env,
  EnvError,
  type Logger,
  parseTrustedProxies,
  type Secrets,
  type Shutdown,
  type StartCheck,
} from '@belfry/runtime';
import { messageStates } from '@belfry/shared';
import type { DashboardDeps } from './app';
import { createConfigurationServices } from './composition-configuration';
import { createOperatorServices } from './composition-operators';
import { createStatus } from './composition-status';
import { type ConnectionDeps, createConnections } from './connection';
import type { LogFilterDeps } from './log-filter';
import { createLogLive, type ReadLog } from './log-live';
import type { PasswordCost, Passwords } from './password';
import { createCheckIntegrations } from './routes/overview';

const rootDir = path.resolve(__dirname, '..', '..', '..', '..');
const migrationsDir = path.join(rootDir, 'prisma', 'migrations');
const pageDirs = {
  webDir: path.resolve(__dirname, '..', '..', 'dist', 'web'),
  docsDir: path.join(rootDir, 'docs'),
};

export type DashboardServices = DashboardDeps & {
  access: Access;
  passwords: Passwords;
  storeChecks: StartCheck[];
};

type Base = {
  env: Env<'dashboard'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  secrets: Secrets;
};

/** Builds the dashboard from its dependencies. */
export function createDashboardServices(
  env: Env<'dashboard'>,
  log: Logger,
  shutdown: Shutdown,
  passwordCost?: PasswordCost,
): DashboardServices {
  const database = createDatabase({
    ...readServer(env),
    replicaUrl: env.DATABASE_REPLICA_URL,
    poolSize: env.DATABASE_POOL_SIZE,
    log,
  });
  shutdown.add('database', () => database.close());
  const secrets = createSecrets(env.BELFRY_KEYS);
  const base: Base = { env, log, shutdown, database, secrets };
  const pool = database.lookUps;
  const connections = createConnections(readConnectionRules(env));
  const operators = createOperatorServices(env, { pool, secrets, connections, passwordCost });
  const { access, passwords, sessions, confirmPassword } = operators.session;
  const apps = createAccountApps(pool);
  const integrations = createAppIntegrations(pool);
  const readStatus = createStatus(base);
  const migrated = { pool, databaseUrl: env.DATABASE_URL, migrationsDir };
  return {
    access,
    passwords,
    connections,
    storeChecks: [
      createDatabaseCheck({ ...migrated, secrets }),
      ...(database.requestLogReplica ? [createReplicaCheck(database)] : []),
    ],
    routes: { sessions, apps },
    ...operators,
    keys: { keys: createAccountKeys(pool, secrets), confirmPassword },
    inboxSecrets: { inboxSecrets: createInboxSecrets(pool, secrets), confirmPassword },
    apps: createAppServices(base, { apps, integrations, readStatus }),
    ...createConfigurationServices(base),
    ...createRequestServices(base, sessions),
    ...createQueueServices(base, { apps, integrations, readStatus }),
    captures: { captures: createAppCaptures(pool) },
    savedFilters: { savedFilters: createSavedFilters(pool) },
    categories: { categories: createCategories(pool) },
    ...createUserServices(base),
    ready: createReady(shutdown, createReadiness(migrated)),
    ...pageDirs,
    logger: log,
  };
}

function createReady(shutdown: Shutdown, isStoreReady: () => Promise<boolean>) {
  return async () => !shutdown.isShuttingDown() && isStoreReady();
}

function createAppServices(
  { database: { lookUps: pool }, secrets }: Base,
  shared: Pick<DashboardDeps['apps'], 'apps' | 'integrations' | 'readStatus'>,
): DashboardDeps['apps'] {
  return {
    ...shared,
    sending: createQueueFacts(pool),
    channelNames,
    channels,
    keys: createAccountKeys(pool, secrets),
    events: createAppEvents(pool),
  };
}

/** Overview and queues. */
function createQueueServices(
  base: Base,
  shared: Pick<DashboardDeps['queues'], 'apps' | 'integrations' | 'readStatus'>,
): Pick<DashboardDeps, 'overview' | 'queues'> {
  const pool = base.database.lookUps;
  const facts = createQueueFacts(pool);
  const now = () => new Date();
  return {
    overview: {
      channelNames,
      overview: createOverview(pool),
      facts,
      checkIntegrations: createCheckIntegrations(shared.integrations),
      now,
    },
    queues: {
      ...shared,
      channelNames,
      facts,
      listHeartbeats: () => listHeartbeats(pool),
      now,
    },
  };
}

/** Audit and users. */
function createUserServices({ database }: Base): Pick<DashboardDeps, 'users' | 'audit'> {
  const pool = database.lookUps;
  return {
    audit: {
      readPage: (accountId, filter, page) => readAuditPage(pool, accountId, filter, page),
      readNames: (accountId, ids) => readAuditNames(pool, accountId, ids),
    },
    users: {
      channels,
      users: createAppUsers(pool),
      suppressions: createSuppressions(pool),
      suppressionFiles: createSuppressionFiles(pool),
      categories: createCategories(pool),
      preferences: createUserPreferences(pool),
      readEligibility: (appId, candidates) => readEligibility(pool, appId, candidates),
      eraseUser: (actor, erasure) => eraseUser(pool, actor, erasure),
      listErasures: (appId) => listErasures(pool, appId),
      readUserMessages: (query) => readUserMessages(pool, query),
      now: () => new Date(),
    },
  };
}

function createRequestServices(
  { database, shutdown, log: logger }: Base,
  sessions: DashboardDeps['log']['sessions'],
): Pick<DashboardDeps, 'log' | 'requests' | 'requestItems' | 'resends' | 'find'> {
  const pool = database.lookUps;
  const states = Object.keys(messageStates);
  const reads = createReplicaReads(database, logger);
  const readLog: ReadLog = (work) => reads.read((from) => work(createRequestLog(from, states)));
  const now = () => Date.now() - reads.getLagMs();
  const live = createLogLive({ readLog, now, logger });
  shutdown.add('live log', () => live.close());
  const users = createAppUsers(pool);
  const filterDeps: LogFilterDeps = {
    channels,
    findEventIds: createAppEvents(pool).listIdsByName,
    findIntegrations: createAppIntegrations(pool).findByName,
    listUserIdsByAddress: users.listIdsByAddress,
  };
  return {
    log: { ...filterDeps, readLog, live, sessions },
    requests: {
      readTimeline: (address) => readItemTimeline(pool, address),
      resend: (actor, input) => resendMessage(pool, actor, input),
      async explain(appId, requestId) {
        const timeline = await readRequestTimeline(pool, requestId, appId);
        return timeline && explainRequest(timeline, new Date());
      },
      cancelMessage: (actor, message) => cancelMessage(pool, actor, message),
      hasMessage: async (appId, id) => (await judgeResends(pool, appId, [id])).length > 0,
      now: () => new Date(),
    },
    requestItems: {
      readItems: (range) => readItems(pool, range),
      countItems: (appId, requestId) => countItems(pool, { appId, requestId }),
    },
    find: {
      apps: createAccountApps(pool),
      // Somebody who searches for what was sent just now must find it.
      log: createRequestLog(database.requestLog, states),
      users,
      findNamed: (query) => findNamed(pool, query),
    },
    resends: {
      ...filterDeps,
      runs: createResendRuns(pool),
      listHeartbeats: () => listHeartbeats(pool),
      now: () => new Date(),
    },
  };
}

function readConnectionRules(env: Env<'dashboard'>): ConnectionDeps {
  const isTrustedProxy = parseTrustedProxies(env.TRUSTED_PROXIES);
  if (typeof isTrustedProxy === 'function') {
    return { allowHttp: env.ALLOW_HTTP, isTrustedProxy, dashboardUrl: env.DASHBOARD_URL };
  }
  throw new EnvError([
    { name: 'TRUSTED_PROXIES', problem: isTrustedProxy.problem, example: '10.0.0.0/8' },
  ]);
}
