import { warmTemplates } from '@belfry/channels';
import {
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
} from '@belfry/runtime';
import { endRoles, shutdownTimeoutOf } from './end-roles';
import { deadlineMsOf } from './lease';
import { createParts, type Parts, type RunningRole } from './parts';
import { parseRoles, type Role } from './roles';
import { startDeliver } from './start-deliver';
import { startFanOut } from './start-fan-out';
import { startRelay } from './start-relay';

start().catch(failStart);

async function start(): Promise<void> {
  const env = readEnv('worker');
  const roles = parseRoles(env.WORKER_ROLES);
  const log = createLogger({ level: env.LOG_LEVEL, process: 'worker' });
  const deadlines = roles.map((role) =>
    role.kind === 'deliver' ? deadlineMsOf(role.channel, env) : 0,
  );
  const shutdownTimeoutMs = shutdownTimeoutOf(env.SHUTDOWN_TIMEOUT_MS, deadlines);
  const shutdown = createShutdown({ log, timeoutMs: shutdownTimeoutMs });
  exitOnSignals(shutdown);
  // Closed last: until then it tells that this process takes nothing more.
  const status = createStatusServer();
  shutdown.add('status', status.close);
  const parts = createParts({ env, log, shutdown, roles });
  await createChecks(parts).run();
  const running = roles.map((role) => startRole(parts, role));
  const { cut } = parts.deadlines;
  shutdown.add('roles', () => endRoles({ roles: running, cut, shutdownTimeoutMs, log }));
  parts.heartbeat.start();
  parts.tally.start();
  const ready = async () => !running.some((role) => role.isStalled()) && (await parts.ready());
  const url = await serveStatus(status, { ...parts, ready });
  if (roles.some(({ kind }) => kind === 'deliver')) void warmTemplates();
  log.info('worker.ready', { roles: roles.map(({ name }) => name), url, pid: process.pid });
}

function createChecks({ storeChecks, log, shutdown }: Parts): StartChecks {
  const checks = createStartChecks({
    checks: storeChecks,
    onRefused: (error) => refuseToGoOn(error, shutdown),
    log,
  });
  shutdown.add('start checks', checks.stop);
  return checks;
}

async function serveStatus(status: StatusServer, parts: Parts): Promise<string> {
  const place = { host: parts.env.METRICS_HOST, port: parts.env.WORKER_PORT };
  try {
    return await status.listen(parts, place);
  } catch (error) {
    const problem = `cannot listen on ${place.host}:${place.port} (${String(error)})`;
    throw new EnvError([{ name: 'WORKER_PORT', problem, example: undefined }]);
  }
}

function startRole(parts: Parts, role: Role): RunningRole {
  switch (role.kind) {
    case 'deliver':
      return startDeliver(parts, role.channel);
    case 'fanout':
      return startFanOut(parts);
    case 'relay':
      return startRelay(parts);
  }
}
