import {
  createLogger,
  createShutdown,
  createStartChecks,
  createStatusServer,
  EnvError,
  exitOnSignals,
  readEnv,
  type Shutdown,
  type StartChecks,
  StartRefusedError,
  type StatusServer,
} from '@belfry/runtime';
import { endRoles, shutdownTimeoutOf } from './end-roles';
import { deadlineMsOf } from './lease';
import { createParts, type Parts, type RunningRole } from './parts';
import { parseRoles, type Role } from './roles';
import { startDeliver } from './start-deliver';
import { startFanOut } from './start-fan-out';
import { startRelay } from './start-relay';

/** sysexits.h: the configuration is wrong. */
const exitConfiguration = 78;

start().catch((error: unknown) => {
  const isOurs = [EnvError, RangeError, StartRefusedError].some((kind) => error instanceof kind);
  process.stderr.write(`${isOurs && error instanceof Error ? error.message : String(error)}\n`);
  process.exit(isOurs ? exitConfiguration : 1);
});

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
  const ready = async () => !running.some((role) => role.isStalled()) && (await parts.ready());
  const url = await serveStatus(status, { ...parts, ready });
  log.info('worker.ready', { roles: roles.map(({ name }) => name), url, pid: process.pid });
}

function createChecks({ storeChecks, log, shutdown }: Parts): StartChecks {
  const checks = createStartChecks({
    checks: storeChecks,
    onRefused: (error) => endRefused(error, shutdown),
    log,
  });
  shutdown.add('start checks', checks.stop);
  return checks;
}

function endRefused(error: StartRefusedError, shutdown: Shutdown): void {
  process.stderr.write(`${error.message}\n`);
  void shutdown.run('refused').then(() => process.exit(exitConfiguration));
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
