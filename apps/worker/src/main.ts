import { warmTemplates } from '@belfry/channels';
import { createInstallationWatch } from '@belfry/database';
import { getDeadlineMs } from '@belfry/pipeline/deliver';
import { startRelay } from '@belfry/pipeline/relay';
import { startWebhooks } from '@belfry/pipeline/webhooks';
import {
  type Awaitable,
  createLogger,
  createShutdown,
  createStartChecks,
  createStatusServer,
  EnvError,
  exitOnSignals,
  failStart,
  readEnv,
  refuseToGoOn,
  type StartChecks,
  type StatusServer,
  withinTime,
} from '@belfry/runtime';
import { createServices, type RunningRole, type Services } from './composition';
import { endRoles, getShutdownTimeoutMs } from './end-roles';
import { createRoleSwitch, type RoleSwitch } from './role-switch';
import { parseRoles, type Role } from './roles';
import { startBounces } from './start-bounces';
import { startDeliver } from './start-deliver';
import { startFanOut } from './start-fan-out';

const settleTimeoutMs = 1_000;

start().catch(failStart);

async function start(): Promise<void> {
  const env = readEnv('worker');
  const roles = parseRoles(env.WORKER_ROLES);
  const log = createLogger({ level: env.LOG_LEVEL, process: 'worker' });
  const deadlines = roles.map((role) =>
    role.kind === 'deliver' ? getDeadlineMs(role.channel, env) : 0,
  );
  const shutdownTimeoutMs = getShutdownTimeoutMs(env.SHUTDOWN_TIMEOUT_MS, deadlines);
  const shutdown = createShutdown({ log, timeoutMs: shutdownTimeoutMs });
  exitOnSignals(shutdown);
  // Closed last: until then it reports that this process is not ready.
  const status = createStatusServer();
  shutdown.add('status', status.close);
  const services = createServices({ env, log, shutdown, roles });
  await createChecks(services).run();
  const running = createRoleSwitch({
    start: () => Promise.all(roles.map((role) => startRole(services, role))),
    log,
  });
  const { cut } = services.deadlines;
  shutdown.add('roles', async () => {
    // Roles that start just now belong to the list a moment later.
    await withinTime(running.settle(), settleTimeoutMs);
    await endRoles({ roles: running.list(), cut, shutdownTimeoutMs, log });
  });
  await startInstallationWatch(services, running);
  services.heartbeat.start();
  services.tally.start();
  services.health.start();
  const ready = async () =>
    !running.list().some((role) => role.isStalled()) && (await services.ready());
  const url = await serveStatus(status, { ...services, ready });
  if (roles.some(({ kind }) => kind === 'deliver')) void warmTemplates();
  log.info('worker.ready', { roles: roles.map(({ name }) => name), url, pid: process.pid });
}

/** Starts the roles, unless this is a restored copy. Without an answer from the stores, they start later. */
async function startInstallationWatch(
  { database, redis, env, log, shutdown }: Services,
  running: RoleSwitch,
): Promise<void> {
  const watch = createInstallationWatch({
    pool: database.delivery,
    redis,
    prefix: env.REDIS_PREFIX,
    log,
    onChecked: ({ pause }) => running.set(pause === undefined),
  });
  shutdown.add('installation', watch.close);
  await watch.start();
  await running.settle();
}

function createChecks({ storeChecks, archive, log, shutdown }: Services): StartChecks {
  const checks = createStartChecks({
    checks: archive ? [...storeChecks, archive.check] : storeChecks,
    onRefused: (error) => refuseToGoOn(error, shutdown),
    log,
  });
  shutdown.add('start_checks', checks.stop);
  return checks;
}

async function serveStatus(status: StatusServer, services: Services): Promise<string> {
  const address = { host: services.env.METRICS_HOST, port: services.env.WORKER_PORT };
  try {
    return await status.listen(services, address);
  } catch (error) {
    const problem = `cannot listen on ${address.host}:${address.port} (${String(error)})`;
    throw new EnvError([{ name: 'WORKER_PORT', problem, example: undefined }]);
  }
}

function startRole(services: Services, role: Role): Awaitable<RunningRole> {
  switch (role.kind) {
    case 'deliver':
      return startDeliver(services, role.channel);
    case 'fanout':
      return startFanOut(services);
    case 'relay':
      return { isStalled: () => false, ...startRelay(services) };
    case 'webhooks':
      return { isStalled: () => false, ...startWebhooks(services) };
    case 'bounces':
      return startBounces(services);
  }
}
