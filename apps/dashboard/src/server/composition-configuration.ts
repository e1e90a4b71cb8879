import {
  type AnyChannel,
  channels,
  createSenderDeps,
  findUrlProblem,
  parsePrivateHosts,
} from '@belfry/channels';
import {
  createAlertRules,
  createAppEvents,
  createAppIntegrations,
  createCategories,
  createLookUps,
  createWebhookEndpoints,
  type Database,
  inTransaction,
  listAlertIncidents,
} from '@belfry/database';
import {
  createPlan,
  createReadStoredRecipient,
  createSendEvent,
  createWriteBatcher,
  writeRequests,
} from '@belfry/pipeline/accept';
import { createDryRun, createSendAlert, readEligibility } from '@belfry/pipeline/operate';
import {
  countDeliveries,
  listDeliveries,
  queueExample,
  resendDelivery,
  resendFailedDeliveries,
} from '@belfry/pipeline/webhooks';
import {
  buildReceiptUrl,
  buildTestAddress,
  createFairQueue,
  type Env,
  type Logger,
  newId,
  type Secrets,
  type Shutdown,
  writeSlackTicket,
} from '@belfry/runtime';
import { createReadSend } from '@belfry/shared';
import type { DashboardDeps } from './app';
import { createCredentialsBox } from './credentials';
import { createDraftDryRun, type DraftDryRunDeps } from './dry-run';
import { createTestConnection } from './test-connection';
import { createTestSend, type TestSendDeps } from './test-send';

type ConfigurationDeps = {
  env: Env<'dashboard'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  secrets: Secrets;
};

/** Configuration, alerts, previews and test sends. */
export function createConfigurationServices(
  deps: ConfigurationDeps,
): Pick<DashboardDeps, 'integrations' | 'webhooks' | 'events' | 'trying' | 'alerts'> {
  const { env, database, secrets } = deps;
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
      alertRules: createAlertRules(pool),
      credentials: createCredentialsBox(secrets),
      testConnection: createTestConnection({
        channels: all,
        senderDeps: createSenderDeps(env),
        now: () => new Date(),
      }),
      now: () => new Date(),
      getReceiptUrl: (integrationId) =>
        buildReceiptUrl({ publicUrl: env.PUBLIC_URL, secrets, integrationId }),
      getSlackInstallUrl: createGetSlackInstallUrl({ env, secrets }),
      buildTestAddress: (testedIntegrationId, domain) =>
        buildTestAddress(secrets, { testedIntegrationId, domain }),
    },
    alerts: createAlertServices(deps, integrations),
    webhooks: createWebhookServices(deps),
    events: { channels: all, events, integrations, categories: createCategories(pool), compiling },
    trying: {
      channels: all,
      events,
      integrations,
      testSend: createTestSend({
        events,
        createSendEvent: createTestAccepting(deps),
        readSend,
        newId,
      }),
      dryRun: createDraftDryRun({ createDryRun: createDraftDryRuns(deps), readSend }),
      readSend,
      gatewayUrl: env.PUBLIC_URL,
      compiling,
    },
  };
}

function createAlertServices(
  { env, database, secrets }: ConfigurationDeps,
  integrations: DashboardDeps['alerts']['integrations'],
): DashboardDeps['alerts'] {
  const pool = database.lookUps;
  return {
    rules: createAlertRules(pool),
    listIncidents: (appId) => listAlertIncidents(pool, appId),
    integrations,
    send: createSendAlert({ secrets, senderDeps: createSenderDeps(env) }),
    dashboardUrl: env.DASHBOARD_URL,
    now: () => new Date(),
  };
}

function createWebhookServices({
  env,
  database,
  secrets,
}: ConfigurationDeps): DashboardDeps['webhooks'] {
  const pool = database.lookUps;
  const allowedPrivateHosts = parsePrivateHosts(env.ALLOWED_PRIVATE_HOSTS);
  return {
    endpoints: createWebhookEndpoints({ pool, secrets }),
    change: (work) => inTransaction(pool, work),
    findUrlProblem: (url) => findUrlProblem(url, { allowedPrivateHosts }),
    countDeliveries: (appId) => countDeliveries(pool, appId),
    listDeliveries: (page) => listDeliveries(pool, page),
    deliveries: {
      queueExample,
      resend: resendDelivery,
      resendFailed: resendFailedDeliveries,
    },
  };
}

/** The accept step of the pipeline. The relay enqueues what it writes, so a test send needs no Redis here. */
function createTestAccepting({
  database,
  secrets,
  shutdown,
  log,
}: ConfigurationDeps): TestSendDeps['createSendEvent'] {
  const write = createWriteBatcher({
    writeRequests: (calls) => writeRequests(database.accepting, calls),
    queues: {
      addDeliverJobs: async () => undefined,
      addFanOutJobs: async () => undefined,
      wakeRelay: () => undefined,
    },
    capacity: { take: () => false, settle: () => undefined },
    newId,
    log,
  });
  shutdown.add('accepting', () => write.close());
  const lookUps = createLookUps(database.lookUps);
  return ({ id, eventId, definition }) =>
    createSendEvent({
      findEvent: async (appId, name) => ({ id: eventId, appId, name, liveVersionId: id }),
      findVersion: async () => ({ id, eventId, definition }),
      findUser: lookUps.findUser,
      readStoredRecipient: createReadStoredRecipient(channels),
      plan: createPlan(channels),
      write,
      secrets,
      newId,
    });
}

/** The dry run of the gateway. A definition counts as a version of its own, so no compiled template is reused. */
function createDraftDryRuns({ env, database }: ConfigurationDeps): DraftDryRunDeps['createDryRun'] {
  const pool = database.lookUps;
  const lookUps = createLookUps(pool);
  const composing = createFairQueue();
  const plan = createPlan(channels);
  return ({ eventId, definition }) => {
    const id = newId();
    return createDryRun({
      findEvent: async (appId, name) => ({ id: eventId, appId, name, liveVersionId: id }),
      findVersion: async () => ({ id, eventId, definition }),
      findUser: lookUps.findUser,
      findIntegration: lookUps.findIntegration,
      readStoredRecipient: createReadStoredRecipient(channels),
      channels,
      composing,
      publicUrl: env.PUBLIC_URL,
      readEligibility: (appId, candidates) => readEligibility(pool, appId, candidates),
      plan,
      newId,
      now: () => new Date(),
    });
  };
}

const slackTicketMs = 60 * 60_000;

function createGetSlackInstallUrl({
  env,
  secrets,
}: Pick<
  ConfigurationDeps,
  'env' | 'secrets'
>): DashboardDeps['integrations']['getSlackInstallUrl'] {
  if (env.SLACK_CLIENT_ID === '') return undefined;
  return ({ accountId, operatorId }, integrationId) => {
    const expiresAtMs = Date.now() + slackTicketMs;
    const ticket = writeSlackTicket({ integrationId, accountId, operatorId, expiresAtMs }, secrets);
    return `${env.PUBLIC_URL.replace(/(?<!\/)\/+$/, '')}/slack/install?ticket=${ticket}`;
  };
}
