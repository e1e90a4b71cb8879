import path from 'node:path';
import { channels, parsePrivateHosts } from '@belfry/channels';
import {
  createAccountApps,
  createAccountKeys,
  createAppEvents,
  createAppIntegrations,
  createDatabase,
  createOperatorSessions,
  createOperators,
  createReadiness,
  type Database,
} from '@belfry/database';
import {
  createSecrets,
  type Env,
  EnvError,
  type IsTrustedProxy,
  type Logger,
  newId,
  parseTrustedProxies,
  receiptUrlOf,
  type Shutdown,
} from '@belfry/runtime';
import type { DashboardDeps } from './app';
import { createFindDraftProblems, createFindTemplateProblem } from './events/draft-problems';
import { createPreview } from './events/preview';
import { createProviderForms } from './integrations/provider-forms';
import { createTestIntegration } from './integrations/test-integration';
import { createAttemptLimit } from './sessions/attempt-limit';
import { createSessionCookie } from './sessions/cookie';
import { createPasswords } from './sessions/password';
import { createSessions } from './sessions/sessions';

const migrationsDir = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');
const sessionLimits = { maxIdleMs: 12 * 60 * 60_000, maxAgeMs: 7 * 24 * 60 * 60_000 };

/** Builds what the dashboard is made of, from the leaves up. */
export function createDashboardDeps(
  env: Env<'dashboard'>,
  log: Logger,
  shutdown: Shutdown,
): DashboardDeps & { ensureAdministrator(): Promise<boolean> } {
  const isTrustedProxy = trustedProxies(env);
  const database = createDatabase({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE, log });
  shutdown.add('database', () => database.close());
  const pool = database.accepting;
  const operators = createOperators(pool);
  const sessionStore = createOperatorSessions(pool, sessionLimits);
  const cookie = createSessionCookie(isTrustedProxy);
  const passwords = createPasswords();
  const isStoreReady = createReadiness({ pool, databaseUrl: env.DATABASE_URL, migrationsDir });
  return {
    ...createConfigurationParts(env, database),
    operators,
    sessionStore,
    sessions: createSessions({ store: sessionStore, cookie }),
    cookie,
    passwords,
    attempts: createAttemptLimit({ now: Date.now }),
    isTrustedProxy,
    https: { allowHttp: env.ALLOW_HTTP, isTrustedProxy },
    ready: async () => !shutdown.hasBegun() && (await isStoreReady()),
    log,
    newId,
    async ensureAdministrator() {
      if (env.ADMIN_EMAIL === '') return false;
      const passwordHash = await passwords.hash(env.ADMIN_PASSWORD);
      return operators.ensureAdministrator({ email: env.ADMIN_EMAIL, passwordHash });
    },
  };
}

type ConfigurationParts = Pick<
  DashboardDeps,
  | 'keys'
  | 'apps'
  | 'integrations'
  | 'events'
  | 'forms'
  | 'testIntegration'
  | 'receiptUrlOf'
  | 'findDraftProblems'
  | 'preview'
>;

function createConfigurationParts(env: Env<'dashboard'>, database: Database): ConfigurationParts {
  const pool = database.accepting;
  const secrets = createSecrets(env.BELFRY_KEYS);
  return {
    keys: createAccountKeys(pool, secrets),
    apps: createAccountApps(pool),
    integrations: createAppIntegrations(pool, secrets),
    events: createAppEvents(pool),
    forms: createProviderForms(channels),
    testIntegration: createTestIntegration(channels, {
      baseUrls: {
        slack: env.SLACK_API_URL || undefined,
        twilio: env.TWILIO_API_URL || undefined,
        meta: env.META_API_URL || undefined,
        telegram: env.TELEGRAM_API_URL || undefined,
      },
      allowedPrivateHosts: parsePrivateHosts(env.ALLOWED_PRIVATE_HOSTS),
    }),
    receiptUrlOf: (integrationId) =>
      receiptUrlOf({ publicUrl: env.PUBLIC_URL, secrets, integrationId }),
    findDraftProblems: createFindDraftProblems(channels),
    preview: createPreview(channels, createFindTemplateProblem(channels)),
  };
}

function trustedProxies(env: Env<'dashboard'>): IsTrustedProxy {
  const parsed = parseTrustedProxies(env.TRUSTED_PROXIES);
  if (typeof parsed === 'function') return parsed;
  throw new EnvError([{ name: 'TRUSTED_PROXIES', problem: parsed.problem, example: '10.0.0.0/8' }]);
}
