import { channelNames, createSenderDeps } from '@belfry/channels';
import {
  checkPostgres,
  checkReplica,
  createDatabase,
  type Database,
  describePause,
  findRingProblems,
  getHosts,
  judgeClock,
  listHeartbeats,
  readClocks,
  readInstallation,
  readOldestWaiting,
  readServer,
} from '@belfry/database';
import {
  createArchive,
  listIntegrations,
  listLimitedAccounts,
  sendsOptionalMail,
} from '@belfry/pipeline/operate';
import { listFailingEndpoints } from '@belfry/pipeline/webhooks';
import {
  createLogger,
  createRedisCheck,
  createSecrets,
  type Env,
  type Logger,
} from '@belfry/runtime';
import { commonRoles, getDeliverQueue } from '@belfry/shared';
import { type Check, type Finding, toFindings } from './doctor-check';
import { examineIntegrations } from './examine-integrations';
import { judgeLinks } from './examine-links';
import { judgeStorage } from './examine-storage';
import { judgeWebhooks } from './examine-webhooks';
import { judgeBacklog, judgeLag, judgeWorkers } from './examine-workers';
import { needSettings } from './need-settings';

const poolSize = 2;
const maxIntegrations = 500;
/** The longest-failing endpoints. */
const maxEndpoints = 20;
/** The accounts that used most of their storage limit. */
const maxAccounts = 20;

/** The checks of `belfry doctor`. Each comes after the checks it depends on. */
export function openChecks(env: Env<'cli'>, migrationsDir: string) {
  needSettings(env, ['REDIS_URL', 'BELFRY_KEYS']);
  const log = createLogger({ level: 'error', process: 'cli' });
  const replicaUrl = env.DATABASE_REPLICA_URL;
  const database = createDatabase({ ...readServer(env), replicaUrl, poolSize, log });
  const redisCheck = createRedisCheck({
    REDIS_URL: env.REDIS_URL,
    REDIS_PREFIX: env.REDIS_PREFIX,
  });
  const checks: Check[] = [
    ...databaseChecks(env, database, migrationsDir),
    ...(replicaUrl ? [replicaCheck(replicaUrl, database)] : []),
    {
      name: 'Redis',
      async examine() {
        const { refusals, warnings, summary } = await redisCheck.read();
        // The mode is named beside warnings, too.
        return [
          ...toFindings('Redis', { refusals, warnings: [] }, `${summary} Nothing is evicted.`),
          ...warnings.map((detail) => ({ name: 'Redis', state: 'warning' as const, detail })),
        ];
      },
    },
    ...workChecks(env, database),
    ...listArchiveChecks(env, log),
  ];
  return {
    checks,
    close: () => database.close(),
  };
}

/** Only if this environment has ARCHIVE_URL: the folder may be on the machine of the relay. */
function listArchiveChecks(env: Env<'cli'>, log: Logger): Check[] {
  const archive = createArchive(env, log);
  if (!archive) return [];
  const name = 'archive';
  const examine = async () => toFindings(name, await archive.check.read(), 'It can be written.');
  return [{ name, examine }];
}

function databaseChecks(env: Env<'cli'>, database: Database, migrationsDir: string): Check[] {
  const pool = database.accepting;
  return [
    {
      name: 'PostgreSQL',
      async examine() {
        const result = await checkPostgres({ pool, databaseUrl: env.DATABASE_URL, migrationsDir });
        return toFindings(
          'PostgreSQL',
          result,
          `It answers ${describePooling(env)}, commits are durable, and every migration is applied.`,
        );
      },
    },
    {
      name: 'installation',
      examine: async () => [judgeInstallation(await readInstallation(pool))],
    },
    {
      name: 'clock',
      async examine() {
        const { skewMs, ...findings } = judgeClock(await readClocks(pool));
        return toFindings('clock', findings, `Differs from PostgreSQL's clock by ${skewMs} ms.`);
      },
    },
    {
      name: 'keys',
      async examine() {
        const refusals = await findRingProblems(pool, createSecrets(env.BELFRY_KEYS));
        return toFindings('keys', { refusals, warnings: [] }, 'BELFRY_KEYS opens all sealed data.');
      },
    },
  ];
}

function replicaCheck(url: string, database: Database): Check {
  const name = 'replica';
  return {
    name,
    async examine() {
      const { findings, lagMs } = await checkReplica(database);
      if (lagMs === undefined) return toFindings(name, findings, '');
      return [judgeLag(getHosts(url), lagMs)];
    },
  };
}

/** A paused installation looks healthy otherwise. */
function judgeInstallation(row: Awaited<ReturnType<typeof readInstallation>>): Finding {
  const name = 'installation';
  if (!row?.pausedAt) return { name, state: 'ok', detail: 'Sending is not paused.' };
  return { name, state: 'failed', detail: describePause(row.pauseReason ?? 'operator') };
}

function describePooling({ DATABASE_POOLING }: Env<'cli'>): string {
  return DATABASE_POOLING === 'transaction'
    ? 'through a pooler in transaction mode'
    : 'and keeps the settings of a session';
}

function workChecks(env: Env<'cli'>, { accepting, prisma }: Database): Check[] {
  const roles = [...channelNames.map(getDeliverQueue), ...commonRoles];
  return [
    { name: 'workers', examine: async () => judgeWorkers(roles, await listHeartbeats(accepting)) },
    {
      name: 'backlog',
      examine: async () => judgeBacklog(await readOldestWaiting(accepting, channelNames)),
    },
    {
      name: 'storage',
      examine: async () => {
        const limit = { defaultLimitMb: env.STORAGE_LIMIT_MB_PER_ACCOUNT };
        return judgeStorage(await listLimitedAccounts(accepting, limit, maxAccounts));
      },
    },
    {
      name: 'webhooks',
      examine: async () => judgeWebhooks(await listFailingEndpoints(accepting, maxEndpoints)),
    },
    {
      name: 'unsubscribe links',
      examine: async () => judgeLinks(env.PUBLIC_URL, await sendsOptionalMail(accepting)),
    },
    {
      name: 'integrations',
      examine: async () =>
        examineIntegrations({
          integrations: await listIntegrations(prisma, maxIntegrations),
          secrets: createSecrets(env.BELFRY_KEYS),
          senderDeps: createSenderDeps(env),
        }),
    },
  ];
}
