import path from 'node:path';
import { type AnyChannel, channelNames, channels, createSenderDeps } from '@belfry/channels';
import {
  type Access,
  createAccess,
  createAccountApps,
  createAccountKeys,
  createAppEvents,
  createAppIntegrations,
  createAppUsers,
  createDatabase,
  createDatabaseCheck,
  createLookUps,
  createPeople,
  createReadiness,
  createSavedFilters,
  createSuppressions,
  type Database,
  findNamed,
  listAuditEntries,
  listHeartbeats,
  listUsableIntegrations,
  markActive,
} from '@belfry/database';
import {
  createPlan,
  createSendEvent,
  createWriteBatcher,
  storedRecipient,
  writeRequests,
} from '@belfry/pipeline/accept';
import {
  cancelMessage,
  createAppCaptures,
  createQueueFacts,
  createRequestLog,
  createResend,
  createResendRuns,
  eraseUser,
  findResendable,
  findVersionOfRequest,
  listErasures,
  readItemTimeline,
  readRequestTimeline,
  writeGeneration,
} from '@belfry/pipeline/operate';
import {
  buildReceiptUrl,
  createFairQueue,
  createRedis,
  createSecrets,
  type Env,
  EnvError,
  type Logger,
  newId,
  parseTrustedProxies,
  type Secrets,
  type Shutdown,
  type StartCheck,
  version,
  writeSlackTicket,
} from '@belfry/runtime';
import { createReadSend, explainRequest, messageStates } from '@belfry/shared';
import type { DashboardDeps } from './app';
import { type ConfirmPassword, createConfirmPassword } from './confirm-password';
import { type ConnectionDeps, createConnections } from './connection';
import { createCredentialsBox } from './credentials';
import { createDevices } from './devices';
import { createLogLive } from './log-live';
import { createPasswords, type Passwords } from './password';
import { createSessions } from './sessions';
import { createSignInLimits, knownLimit } from './sign-in-limits';
import { createReadStatus } from './status';
import { createTestConnection } from './test-connection';
import { createTestSend, type TestSendDeps } from './test-send';
import { createTries } from './tries';

const migrationsDir = path.resolve(__dirname, '..', '..', '..', '..', 'prisma', 'migrations');
const webDir = path.resolve(__dirname, '..', '..', 'dist', 'web');
const maxOperatorsConfirming = 10_000;
const gatewayTimeoutMs = 1_000;

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
): DashboardServices {
  const database = createDatabase({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE, log });
  shutdown.add('database', () => database.close());
  const secrets = createSecrets(env.BELFRY_KEYS);
  const base: Base = { env, log, shutdown, database, secrets };
  const pool = database.lookUps;
  const connections = createConnections(readConnectionRules(env));
  const access = createAccess(pool);
  const passwords = createPasswords(access);
  const sessions = createSessions({ access, connections });
  const apps = createAccountApps(pool);
  const integrations = createAppIntegrations(pool);
  const tries = createTries({ ...knownLimit, maxNames: maxOperatorsConfirming, now: Date.now });
  const confirmPassword = createConfirmPassword({ passwords, tries });
  const devices = createDevices({ secrets, connections });
  const migrated = { pool, databaseUrl: env.DATABASE_URL, migrationsDir };
  const isStoreReady = createReadiness(migrated);
  return {
    access,
    passwords,
    connections,
    storeChecks: [createDatabaseCheck({ ...migrated, secrets })],
    routes: { sessions, apps },
    session: {
      access,
      sessions,
      passwords,
      connections,
      confirmPassword,
      limits: createSignInLimits({ devices, connections, now: Date.now }),
      devices,
      version,
      gatewayUrl: env.PUBLIC_URL,
    },
    keys: { keys: createAccountKeys(pool, secrets), confirmPassword },
    apps: { apps, sending: createQueueFacts(pool), channelNames },
    ...createConfigurationServices(base),
    ...createRequestServices(base, sessions),
    queues: {
      channelNames,
      apps,
      integrations,
      facts: createQueueFacts(pool),
      listHeartbeats: () => listHeartbeats(pool),
      readStatus: createStatus(base),
      now: () => new Date(),
    },
    captures: { captures: createAppCaptures(pool) },
    savedFilters: { savedFilters: createSavedFilters(pool) },
    ...createPeopleServices(base, confirmPassword),
    ready: async () => !shutdown.isShuttingDown() && (await isStoreReady()),
    webDir,
    logger: log,
  };
}

/** Operators, audit and users. */
function createPeopleServices(
  { database }: Base,
  confirmPassword: ConfirmPassword,
): Pick<DashboardDeps, 'people' | 'users' | 'audit'> {
  const pool = database.lookUps;
  return {
    people: { people: createPeople(pool), confirmPassword },
    audit: { listAuditEntries: (accountId, page) => listAuditEntries(pool, accountId, page) },
    users: {
      channels,
      users: createAppUsers(pool),
      suppressions: createSuppressions(pool),
      eraseUser: (actor, erasure) => eraseUser(pool, actor, erasure),
      listErasures: (appId) => listErasures(pool, appId),
    },
  };
}

/** Configuration, previews and test sends. */
function createConfigurationServices(
  base: Base,
): Pick<DashboardDeps, 'integrations' | 'events' | 'trying'> {
  const { env, database, secrets } = base;
  const pool = database.lookUps;
  const events = createAppEvents(pool);
  const integrations = createAppIntegrations(pool);
  const all: Record<string, AnyChannel> = channels;
  const readSend = createReadSend(channels);
  const compiling = createFairQueue();
  return {
    integrations: {
      channels: all,
      integrations,
      events,
      credentials: createCredentialsBox(secrets),
      testConnection: createTestConnection({
        channels: all,
        senderDeps: createSenderDeps(env),
        now: () => new Date(),
      }),
      markActive: (id, actor) => markActive(pool, id, actor),
      getReceiptUrl: (integrationId) =>
        buildReceiptUrl({ publicUrl: env.PUBLIC_URL, secrets, integrationId }),
      getSlackInstallUrl: createGetSlackInstallUrl({ env, secrets }),
    },
    events: { channels: all, events, integrations, compiling },
    trying: {
      channels: all,
      events,
      integrations,
      testSend: createTestSend({
        events,
        createSendEvent: createTestAccepting(base),
        readSend,
        newId,
      }),
      readSend,
      gatewayUrl: env.PUBLIC_URL,
      compiling,
    },
  };
}

/** The accept step of the pipeline. The relay enqueues what it writes, so a test send needs no Redis here. */
function createTestAccepting({
  database,
  secrets,
  shutdown,
  log,
}: Base): TestSendDeps['createSendEvent'] {
  const write = createWriteBatcher({
    writeRequests: (calls) => writeRequests(database.accepting, calls),
    queues: { addDeliverJobs: async () => undefined, addFanOutJobs: async () => undefined },
    capacity: { take: () => false, settle: () => undefined },
    newId,
    log,
  });
  shutdown.add('accepting', () => write.close());
  const lookUps = createLookUps(database.lookUps);
  const extraFields = Object.values(channels).flatMap(({ recipient }) => Object.keys(recipient));
  return ({ id, eventId, definition }) =>
    createSendEvent({
      findEvent: async (appId, name) => ({ id: eventId, appId, name, liveVersionId: id }),
      findVersion: async () => ({ id, eventId, definition }),
      findUser: lookUps.findUser,
      readStoredRecipient: (user) => storedRecipient(user, extraFields),
      plan: createPlan(channels),
      write,
      secrets,
      newId,
    });
}

function createRequestServices(
  { database, shutdown, log: logger }: Base,
  sessions: DashboardDeps['log']['sessions'],
): Pick<DashboardDeps, 'log' | 'requests' | 'resends' | 'find'> {
  const pool = database.lookUps;
  const states = Object.keys(messageStates);
  const log = createRequestLog(database.requestLog, states);
  const live = createLogLive({ log, now: () => Date.now(), logger });
  shutdown.add('live log', () => live.close());
  const integrations = createAppIntegrations(pool);
  return {
    log: {
      channels,
      states,
      log,
      live,
      sessions,
      async listProviders(appId) {
        const rows = await integrations.list(appId);
        return new Map(rows.map(({ id, provider }) => [id, provider]));
      },
    },
    requests: {
      readTimeline: (address) => readItemTimeline(pool, address),
      resend: createResend({
        findResendable: (appId, messageId) => findResendable(pool, appId, messageId),
        findVersionOfRequest: (requestId) => findVersionOfRequest(pool, requestId),
        listUsableIntegrations: (ids) => listUsableIntegrations(pool, ids),
        writeGeneration: (actor, generation) => writeGeneration(pool, actor, generation),
        newId,
      }),
      explain: createExplain(database),
      cancelMessage: (actor, message) => cancelMessage(pool, actor, message),
      hasMessage: async (appId, id) => (await findResendable(pool, appId, id)) !== undefined,
      now: () => new Date(),
    },
    find: { apps: createAccountApps(pool), findNamed: (query) => findNamed(pool, query) },
    resends: {
      channels,
      states,
      findEventIds: log.findEventIds,
      runs: createResendRuns(pool),
      listHeartbeats: () => listHeartbeats(pool),
      now: () => new Date(),
    },
  };
}

function createExplain(database: Database): DashboardDeps['requests']['explain'] {
  return async function explain(appId, requestId) {
    const timeline = await readRequestTimeline(database.prisma, requestId, appId);
    return timeline && explainRequest(timeline, new Date());
  };
}

function createStatus({
  env,
  log,
  shutdown,
  database,
}: Base): () => ReturnType<ReturnType<typeof createReadStatus>> {
  const redis = env.REDIS_URL === '' ? undefined : createRedis({ url: env.REDIS_URL, log });
  if (redis) shutdown.add('redis', () => redis.disconnect());
  const facts = createQueueFacts(database.lookUps);
  return createReadStatus({
    pingPostgres: () => facts.ping(),
    pingRedis: async () => {
      if (!redis) throw new Error('REDIS_URL is not set');
      await redis.ping();
    },
    async pingGateway() {
      const signal = AbortSignal.timeout(gatewayTimeoutMs);
      const response = await fetch(new URL('livez', withSlash(env.PUBLIC_URL)), { signal });
      if (!response.ok) throw new Error(`The gateway answers ${response.status}`);
    },
    gatewayUrl: env.PUBLIC_URL,
    now: () => performance.now(),
  });
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
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

const slackTicketMs = 60 * 60_000;

function createGetSlackInstallUrl({
  env,
  secrets,
}: {
  env: Env<'dashboard'>;
  secrets: Secrets;
}): DashboardDeps['integrations']['getSlackInstallUrl'] {
  if (env.SLACK_CLIENT_ID === '') return undefined;
  return ({ accountId, operatorId }, integrationId) => {
    const expiresAtMs = Date.now() + slackTicketMs;
    const ticket = writeSlackTicket({ integrationId, accountId, operatorId, expiresAtMs }, secrets);
    return `${env.PUBLIC_URL.replace(/(?<!\/)\/+$/, '')}/slack/install?ticket=${ticket}`;
  };
}
