import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createLogger,
  createShutdown,
  type Env,
  EnvError,
  exitOnSignals,
  failStart,
  readEnv,
} from '@belfry/runtime';
import { createDashboard } from './app';
import { createDashboardDeps } from './parts';
import { closeServer, createDashboardServer, listen } from './server';

/** Where no setting says otherwise. */
const shutdownTimeoutMs = 25_000;

start().catch(failStart);

async function start(): Promise<void> {
  const env = readEnv('dashboard');
  const log = createLogger({ level: env.LOG_LEVEL, process: 'dashboard' });
  const timeoutMs = env.SHUTDOWN_TIMEOUT_MS || shutdownTimeoutMs;
  const shutdown = createShutdown({ log, timeoutMs });
  const deps = createDashboardDeps(env, log, shutdown);
  if (await deps.ensureAdministrator()) log.info('dashboard.administrator_created');
  const server = createDashboardServer(createDashboard(deps));
  await listenOrExplain(server, env);
  shutdown.add('server', () => closeServer(server));
  exitOnSignals(shutdown);
  log.info('dashboard.ready', { url: urlOf(server), pid: process.pid });
}

async function listenOrExplain(server: Server, env: Env<'dashboard'>): Promise<void> {
  const place = { host: env.DASHBOARD_HOST, port: env.DASHBOARD_PORT };
  const refusal = await listen(server, place);
  if (!refusal) return;
  const problem = `cannot listen on ${place.host}:${place.port} (${refusal.code}): choose another`;
  const name = refusal.code === 'EADDRNOTAVAIL' ? 'DASHBOARD_HOST' : 'DASHBOARD_PORT';
  throw new EnvError([{ name, problem, example: undefined }]);
}

function urlOf(server: Server): string {
  // A server that listens on a port has an address with one.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
