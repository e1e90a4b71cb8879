import { existsSync } from 'node:fs';
import { nodeOptions } from '@belfry/runtime';
import type { Program } from './child';
import type { Choices, Variables } from './choices';
import type { LocalPaths } from './local-paths';

export type ProgramsInput = {
  paths: LocalPaths;
  choices: Choices;
  /** The environment of the command; computed settings are added to it. */
  env: Variables;
  databaseUrl: string;
  redisUrl: string;
  keyRing: string;
  apiUrl: string;
  apiPort: number;
  dashboardPort: number;
  roles: string[];
};

/** In start order; they are stopped in reverse order. */
export function listPrograms(input: ProgramsInput): Program[] {
  const { paths, choices, roles } = input;
  const shared = sharedEnv(input);
  const worker = (name: string, role: string): Program => ({
    name,
    file: paths.program('worker', 'main.js'),
    env: { ...shared, WORKER_ROLES: role },
    nodeOptions: nodeOptions.worker,
  });
  const api: Program = {
    name: 'api',
    file: paths.program('api', 'main.js'),
    env: { ...shared, API_HOST: choices.apiHost, API_PORT: String(input.apiPort) },
    nodeOptions: nodeOptions.api,
  };
  const workers = choices.hasProcessPerRole
    ? roles.map((role) => worker(role, role))
    : [worker('worker', 'all')];
  return [...workers, api, ...dashboard(input, shared)];
}

export function hasDashboard(paths: LocalPaths): boolean {
  return existsSync(paths.program('dashboard', 'server', 'main.js'));
}

function dashboard({ paths, dashboardPort }: ProgramsInput, shared: Variables): Program[] {
  if (!hasDashboard(paths)) return [];
  return [
    {
      name: 'dashboard',
      file: paths.program('dashboard', 'server', 'main.js'),
      env: { ...shared, DASHBOARD_PORT: String(dashboardPort) },
      nodeOptions: nodeOptions.dashboard,
    },
  ];
}

function sharedEnv({ env, databaseUrl, redisUrl, keyRing, apiUrl }: ProgramsInput): Variables {
  return {
    ...env,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    BELFRY_KEYS: keyRing,
    PUBLIC_URL: env['PUBLIC_URL'] || apiUrl,
    // No traffic leaves this machine.
    ALLOW_HTTP: env['ALLOW_HTTP'] || 'true',
    // For a test mail server on this machine.
    ALLOWED_PRIVATE_HOSTS: env['ALLOWED_PRIVATE_HOSTS'] || 'localhost,127.0.0.1,::1',
    SHUTDOWN_TIMEOUT_MS: env['SHUTDOWN_TIMEOUT_MS'] || '10000',
    // The live lines are derived from log lines of level info.
    LOG_LEVEL: env['LOG_LEVEL'] === 'debug' ? 'debug' : 'info',
  };
}
