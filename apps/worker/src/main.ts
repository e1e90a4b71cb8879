import {
  createLogger,
  createShutdown,
  createStatusServer,
  EnvError,
  exitOnSignals,
  readEnv,
  type StatusServer,
} from '@belfry/runtime';
import { type CloseRole, createParts, type Parts } from './parts';
import { parseRoles, type Role } from './roles';
import { startDeliver } from './start-deliver';
import { startFanOut } from './start-fan-out';
import { startRelay } from './start-relay';

/** sysexits.h: the configuration is wrong. */
const exitConfiguration = 78;

start().catch((error: unknown) => {
  const isOurs = error instanceof EnvError || error instanceof RangeError;
  process.stderr.write(`${isOurs ? error.message : String(error)}\n`);
  process.exit(isOurs ? exitConfiguration : 1);
});

async function start(): Promise<void> {
  const env = readEnv('worker');
  const roles = parseRoles(env.WORKER_ROLES);
  const log = createLogger({ level: env.LOG_LEVEL, process: 'worker' });
  const shutdown = createShutdown({ log, timeoutMs: env.SHUTDOWN_TIMEOUT_MS });
  exitOnSignals(shutdown);
  // Closed last: until then it tells that this process takes nothing more.
  const status = createStatusServer();
  shutdown.add('status', status.close);
  const parts = createParts(env, log, shutdown);
  const closers = roles.map((role) => startRole(parts, role));
  // All at once: a role that is told last would go on claiming what it has no time left to end.
  shutdown.add('roles', async () => {
    await Promise.all(closers.map((close) => close()));
  });
  const url = await serveStatus(status, parts);
  log.info('worker.ready', { roles: roles.map(({ name }) => name), url, pid: process.pid });
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

function startRole(parts: Parts, role: Role): CloseRole {
  switch (role.kind) {
    case 'deliver':
      return startDeliver(parts, role.channel);
    case 'fanout':
      return startFanOut(parts);
    case 'relay':
      return startRelay(parts);
  }
}
