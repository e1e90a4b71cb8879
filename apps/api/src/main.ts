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

/** A body may take 30 s to arrive. Slower calls are dropped at shutdown. */
const shutdownTimeoutMs = 25_000;
/** The part of it reserved for closing the stores. */
const closingMs = 5_000;

start().catch(failStart);

async function start(): Promise<void> {
  const env = readEnv('api');
  const tls = readTls(env);
  const log = createLogger({ level: env.LOG_LEVEL, process: 'api' });
  const timeoutMs = env.SHUTDOWN_TIMEOUT_MS || shutdownTimeoutMs;
  const shutdown = createShutdown({ log, timeoutMs });
  // Closed last: until then it reports that this process is not ready.
  const status = createStatusServer();
  shutdown.add('status', status.close);
  const deps = createApiDeps(env, log, shutdown);
  const slack = deps.slackDeps && (await createSlackRouter(deps.slackDeps));
  const api = createApi({ ...deps, ...(slack ? { slack } : {}) });
  const maxStreams = env.MAX_INBOX_STREAMS;
  const server = createApiServer(api, {
    ...deps.https,
    ...(tls && { tls }),
    maxStreams,
    newId,
    log,
  });
  await createChecks(deps.storeChecks, shutdown, log).run();
  await deps.startInstallationWatch();
  await listenOrExplain(server, env);
  shutdown.add('server', () => closeServer(server, timeoutMs - closingMs));
  // Closed first: the server waits for its responses, and streams do not end by themselves.
  shutdown.add('inbox_streams', deps.inboxStreams.close);
  const metricsUrl = await serveMetrics(status, deps, env);
  const loopWatch = watchLoop({ log, metrics: deps.metrics });
  shutdown.add('loop_watch', loopWatch.stop);
  server.prependListener('request', loopWatch.expectWork);
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
  shutdown.add('start_checks', started.stop);
  return started;
}

function readTls(env: Env<'api'>): { cert: Buffer; key: Buffer } | undefined {
  if (env.TLS_CERT_FILE === '') return undefined;
  const cert = readPem('TLS_CERT_FILE', env.TLS_CERT_FILE);
  const key = readPem('TLS_KEY_FILE', env.TLS_KEY_FILE);
  try {
    createSecureContext({ cert, key });
  } catch {
    throw createSettingError('TLS_CERT_FILE', 'does not match the key in TLS_KEY_FILE');
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
  const address = { host: env.API_HOST, port: env.API_PORT };
  const error = await listen(server, address);
  if (!error) return;
  const problem = `cannot listen on ${address.host}:${address.port} (${error.code}). Choose another address or port`;
  throw createSettingError(error.code === 'EADDRNOTAVAIL' ? 'API_HOST' : 'API_PORT', problem);
}

async function serveMetrics(
  status: StatusServer,
  deps: ReturnType<typeof createApiDeps>,
  env: Env<'api'>,
): Promise<string> {
  const address = { host: env.METRICS_HOST, port: env.METRICS_PORT };
  try {
    return await status.listen(deps, address);
  } catch (error) {
    throw createSettingError(
      'METRICS_PORT',
      `cannot listen on ${address.host}:${address.port} (${String(error)})`,
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
