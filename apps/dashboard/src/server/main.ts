import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { warmTemplates } from '@belfry/channels';
import {
  createLogger,
  createShutdown,
  createStartChecks,
  type Env,
  EnvError,
  exitOnSignals,
  failStart,
  type Logger,
  readEnv,
  refuseToGoOn,
  type Shutdown,
} from '@belfry/runtime';
import { createDashboard } from './app';
import { createDashboardServices, type DashboardServices } from './composition';
import { ensureFirstOperator } from './first-operator';
import { createDashboardServer } from './server';

const shutdownTimeoutMs = 10_000;
const operatorRetryMs = 2_000;

start().catch(failStart);

async function start(): Promise<void> {
  const env = readEnv('dashboard');
  const log = createLogger({ level: env.LOG_LEVEL, process: 'dashboard' });
  const timeoutMs = env.SHUTDOWN_TIMEOUT_MS || shutdownTimeoutMs;
  const shutdown = createShutdown({ log, timeoutMs });
  const services = createDashboardServices(env, log, shutdown);
  const tls = env.TLS_CERT_FILE === '' ? {} : { tls: readTls(env) };
  const { isTrustedProxy } = services.connections;
  const server = createDashboardServer(createDashboard(services), { ...tls, isTrustedProxy, log });
  await check(services, shutdown, log);
  makeFirstOperator(env, services, shutdown);
  await listen(server, env);
  shutdown.add('server', () => close(server));
  exitOnSignals(shutdown);
  void warmTemplates();
  log.info('dashboard.ready', { url: formatUrl(server, env), pid: process.pid });
}

async function check(
  { storeChecks }: DashboardServices,
  shutdown: Shutdown,
  log: Logger,
): Promise<void> {
  const checks = createStartChecks({
    checks: storeChecks,
    onRefused: (error) => refuseToGoOn(error, shutdown),
    log,
  });
  shutdown.add('start_checks', checks.stop);
  await checks.run();
}

/** PostgreSQL may be unavailable at startup, so creating the operator is retried. */
function makeFirstOperator(
  env: Env<'dashboard'>,
  services: DashboardServices,
  shutdown: Shutdown,
): void {
  const { access, passwords, logger: log } = services;
  let timer: NodeJS.Timeout | undefined;
  function attempt(): void {
    ensureFirstOperator(env, { access, passwords, log }).catch((error: unknown) => {
      log.warn('operator.not_created', { error });
      timer = setTimeout(attempt, operatorRetryMs);
    });
  }
  attempt();
  shutdown.add('first operator', () => clearTimeout(timer));
}

function readTls(env: Env<'dashboard'>): { cert: Buffer; key: Buffer } {
  const read = (name: 'TLS_CERT_FILE' | 'TLS_KEY_FILE') => {
    try {
      return readFileSync(env[name]);
    } catch {
      throw new EnvError([{ name, problem: `cannot be read: ${env[name]}`, example: undefined }]);
    }
  };
  return { cert: read('TLS_CERT_FILE'), key: read('TLS_KEY_FILE') };
}

function listen(server: Server, env: Env<'dashboard'>): Promise<void> {
  const [host, port] = [env.DASHBOARD_HOST, env.DASHBOARD_PORT];
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const name = error.code === 'EADDRNOTAVAIL' ? 'DASHBOARD_HOST' : 'DASHBOARD_PORT';
      const problem = `cannot listen on ${host}:${port} (${error.code}): choose another`;
      reject(new EnvError([{ name, problem, example: undefined }]));
    });
    server.listen({ host, port }, resolve);
  });
}

/** The live log streams are closed first; other open requests get their answers. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

function formatUrl(server: Server, { TLS_CERT_FILE }: Env<'dashboard'>): string {
  // A listening TCP server has an address with a port.
  const { address, family, port } = server.address() as AddressInfo;
  const scheme = TLS_CERT_FILE === '' ? 'http' : 'https';
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
