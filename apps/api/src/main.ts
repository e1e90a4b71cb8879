import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createLogger,
  createShutdown,
  type Env,
  EnvError,
  exitOnSignals,
  newId,
  readEnv,
} from '@belfry/runtime';
import { createApi } from './app';
import { createApiDeps } from './parts';
import { closeServer, createApiServer, listen } from './server';

/** sysexits.h: the configuration is wrong. */
const exitConfiguration = 78;

start().catch((error: unknown) => {
  const text = error instanceof EnvError ? error.message : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(error instanceof EnvError ? exitConfiguration : 1);
});

async function start(): Promise<void> {
  const env = readEnv('api');
  const tls = readTls(env);
  const log = createLogger({ level: env.LOG_LEVEL, process: 'api' });
  const shutdown = createShutdown({ log, timeoutMs: env.SHUTDOWN_TIMEOUT_MS });
  const api = createApi(createApiDeps(env, log, shutdown));
  const server = createApiServer(api, { ...(tls && { tls }), newId });
  await listenOrExplain(server, env);
  shutdown.add('server', () => closeServer(server));
  exitOnSignals(shutdown);
  log.info('api.ready', { url: urlOf(server, tls ? 'https' : 'http'), pid: process.pid });
}

function readTls(env: Env<'api'>): { cert: Buffer; key: Buffer } | undefined {
  if (env.TLS_CERT_FILE === '') return undefined;
  return {
    cert: readPem('TLS_CERT_FILE', env.TLS_CERT_FILE),
    key: readPem('TLS_KEY_FILE', env.TLS_KEY_FILE),
  };
}

function readPem(name: 'TLS_CERT_FILE' | 'TLS_KEY_FILE', path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new EnvError([{ name, problem: `cannot be read: ${path}`, example: undefined }]);
  }
}

async function listenOrExplain(server: Server, env: Env<'api'>): Promise<void> {
  const place = { host: env.API_HOST, port: env.API_PORT };
  const refusal = await listen(server, place);
  if (!refusal) return;
  const problem = `cannot listen on ${place.host}:${place.port} (${refusal.code}): choose another`;
  const name = refusal.code === 'EADDRNOTAVAIL' ? 'API_HOST' : 'API_PORT';
  throw new EnvError([{ name, problem, example: name === 'API_PORT' ? '4500' : undefined }]);
}

function urlOf(server: Server, scheme: string): string {
  // A server that listens on a port has an address with one.
  const { address, family, port } = server.address() as AddressInfo;
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
