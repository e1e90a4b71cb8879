import { findFreePort, isPortFree } from '@belfry/embedded';
import { StartError } from './start-error';

/** Settings from environment variables and options. */
export type Choices = {
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  keyRing: string | undefined;
  apiHost: string;
  apiPort: number;
  dashboardPort: number;
  demoPort: number;
  /** Start one worker process per role. */
  hasProcessPerRole: boolean;
};

const optionNames = ['--processes'];
const defaultApiPort = 4400;
const defaultDashboardPort = 4401;
const defaultDemoPort = 4402;
const maxPort = 65_535;

export type Variables = Record<string, string | undefined>;

export function readChoices(env: Variables, args: string[]): Choices {
  const unknown = args.find((arg) => !optionNames.includes(arg));
  if (unknown !== undefined) {
    throw new StartError(`Unknown option ${unknown}. Run npm start -- --help for the options.`);
  }
  return {
    databaseUrl: env['DATABASE_URL']?.trim() || undefined,
    redisUrl: env['REDIS_URL']?.trim() || undefined,
    keyRing: env['BELFRY_KEYS']?.trim() || undefined,
    apiHost: env['API_HOST']?.trim() || '127.0.0.1',
    apiPort: readPort(env, 'API_PORT', defaultApiPort),
    dashboardPort: readPort(env, 'DASHBOARD_PORT', defaultDashboardPort),
    demoPort: readPort(env, 'DEMO_PORT', defaultDemoPort),
    hasProcessPerRole: args.includes('--processes'),
  };
}

function readPort(env: Variables, name: string, defaultPort: number): number {
  const text = env[name]?.trim();
  if (!text) return defaultPort;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > maxPort) {
    throw new StartError(`${name} must be a whole number from 0 to ${maxPort} (got "${text}")`);
  }
  return port;
}

/** Returns the port, or a free one for 0. A port in use is an error that names the variable to change. */
export async function claimPort(variable: string, host: string, port: number): Promise<number> {
  if (port === 0) return findFreePort();
  if (await isPortFree(port, host)) return port;
  const suggestedPort = port < maxPort ? port + 10 : 0;
  throw new StartError(
    `Port ${port} on ${host} is in use. ` +
      `Stop the other program, or choose another port: ${variable}=${suggestedPort} npm start`,
  );
}
