import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { warmTemplates } from '@belfry/channels';
import {
  createLogger,
  createShutdown,
  createStartChecks,
  createStatusServer,
  type Env,
  EnvError,
  exitOnSignals,
  failStart,
  type Logger,
  newId,
  readEnv,
  refuseToGoOn,
  type SettingName,
  type Shutdown,
  type StartCheck,
  type StartChecks,
  type StatusServer,
  watchLoop,
} from '@belfry/runtime';
import { createApi } from './app';
import { createApiDeps } from './composition';
import { closeServer, createApiServer, listen } from './server';
import { createSlackRouter } from './slack/router';

/** A call may take 30 s to bring its body: one that is slower than this is given up. */
const shutdownTimeoutMs = 25_000;
/** Of that, for closing the stores. */
const closingMs = 5_000;

start().catch(failStart);

async function start(): Promise<void> {
  const env = readEnv('api');
  const tls = readTls(env);
  const log = createLogger({ level: env.LOG_LEVEL, process: 'api' });
  const timeoutMs = env.SHUTDOWN_TIMEOUT_MS || shutdownTimeoutMs;
  const shutdown = createShutdown({ log, timeoutMs });
  // Closed last: until then it tells that this process takes nothing more.
  const status = createStatusServer();
  shutdown.add('status', status.close);
  const deps = createApiDeps(env, log, shutdown);
  const slack = deps.slackDeps && (await createSlackRouter(deps.slackDeps));
  const api = createApi({ ...deps, ...(slack ? { slack } : {}) });
  const server = createApiServer(api, { ...deps.https, ...(tls && { tls }), newId, log });
  await createChecks(deps.storeChecks, shutdown, log).run();
  await listenOrExplain(server, env);
  shutdown.add('server', () => closeServer(server, timeoutMs - closingMs));
  const metricsUrl = await serveMetrics(status, deps, env);
  shutdown.add('loop_watch', watchLoop({ log, metrics: deps.metrics }));
  exitOnSignals(shutdown);
  const url = formatUrl(server, tls ? 'https' : 'http');
  void warmTemplates();
  log.info('api.ready', { url, metrics_url: metricsUrl, pid: process.pid });
}

function createChecks(checks: StartCheck[], shutdown: Shutdown, log: Logger): StartChecks {
  const started = createStartChecks({
    checks,
    onRefused: (error) => refuseToGoOn(error, shutdown),
    log,
  });
  shutdown.add('start checks', started.stop);
  return started;
}

function readTls(env: Env<'api'>): { cert: Buffer; key: Buffer } | undefined {
  if (env.TLS_CERT_FILE === '') return undefined;
  const cert = readPem('TLS_CERT_FILE', env.TLS_CERT_FILE);
  const key = readPem('TLS_KEY_FILE', env.TLS_KEY_FILE);
  try {
    createSecureContext({ cert, key });
  } catch {
    throw createSettingError('TLS_CERT_FILE', 'is no certificate that TLS_KEY_FILE is the key of');
  }
  return { cert, key };
}

function readPem(name: 'TLS_CERT_FILE' | 'TLS_KEY_FILE', path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw createSettingError(name, `cannot be read: ${path}`);
  }
}

async function listenOrExplain(server: Server, env: Env<'api'>): Promise<void> {
  const place = { host: env.API_HOST, port: env.API_PORT };
  const refusal = await listen(server, place);
  if (!refusal) return;
  const problem = `cannot listen on ${place.host}:${place.port} (${refusal.code}): choose another`;
  throw createSettingError(refusal.code === 'EADDRNOTAVAIL' ? 'API_HOST' : 'API_PORT', problem);
}

async function serveMetrics(
  status: StatusServer,
  deps: ReturnType<typeof createApiDeps>,
  env: Env<'api'>,
): Promise<string> {
  const place = { host: env.METRICS_HOST, port: env.METRICS_PORT };
  try {
    return await status.listen(deps, place);
  } catch (error) {
    throw createSettingError(
      'METRICS_PORT',
      `cannot listen on ${place.host}:${place.port} (${String(error)})`,
    );
  }
}

function createSettingError(name: SettingName, problem: string): EnvError {
  return new EnvError([{ name, problem, example: undefined }]);
}

function formatUrl(server: Server, scheme: string): string {
  // A server that listens on a port has an address with one.
  const { address, family, port } = server.address() as AddressInfo;
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
