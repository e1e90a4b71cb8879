import {
  createLogger,
  createShutdown,
  createStatusServer,
  EnvError,
  exitOnSignals,
  readEnv,
  type StatusServer,
} from '@belfry/runtime';
import { createParts, type Parts, warmUp } from './parts';
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
  await warmUp(parts);
  for (const role of roles) startRole(parts, role);
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

function startRole(parts: Parts, role: Role): void {
  if (role.kind === 'deliver') startDeliver(parts, role.channel);
  if (role.kind === 'fanout') startFanOut(parts);
  if (role.kind === 'relay') startRelay(parts);
}
