import { existsSync } from 'node:fs';
import type { Program } from './child';
import type { Choices, Variables } from './choices';
import type { LocalPaths } from './local-paths';

export type ProgramsInput = {
  paths: LocalPaths;
  choices: Choices;
  /** The environment as given; what is decided here comes on top of it. */
  env: Variables;
  databaseUrl: string;
  redisUrl: string;
  keyRing: string;
  apiUrl: string;
  apiPort: number;
  dashboardPort: number;
  roles: string[];
};

/** In the order of their start; they are stopped the other way round. */
export function listPrograms(input: ProgramsInput): Program[] {
  const { paths, choices, roles } = input;
  const shared = sharedEnv(input);
  const worker = (name: string, role: string): Program => ({
    name,
    file: paths.program('worker', 'main.js'),
    env: { ...shared, WORKER_ROLES: role },
  });
  const api: Program = {
    name: 'api',
    file: paths.program('api', 'main.js'),
    env: { ...shared, API_HOST: choices.apiHost, API_PORT: String(input.apiPort) },
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
    // On this machine there is nobody in between.
    ALLOW_HTTP: env['ALLOW_HTTP'] || 'true',
    // A mail server for trying things out stands beside this.
    ALLOWED_PRIVATE_HOSTS: env['ALLOWED_PRIVATE_HOSTS'] || 'localhost,127.0.0.1,::1',
    SHUTDOWN_TIMEOUT_MS: env['SHUTDOWN_TIMEOUT_MS'] || '10000',
    // The live lines are made from them.
    LOG_LEVEL: env['LOG_LEVEL'] === 'debug' ? 'debug' : 'info',
  };
}
