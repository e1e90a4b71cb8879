import { findFreePort, isPortFree } from '@belfry/embedded';
import { StartError } from './start-error';

/** What the reader may choose, by variables and arguments. */
export type Choices = {
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  keyRing: string | undefined;
  apiHost: string;
  apiPort: number;
  dashboardPort: number;
  /** One worker process for each role. */
  hasProcessPerRole: boolean;
};

const argumentNames = ['--processes'];
const defaultApiPort = 4400;
const defaultDashboardPort = 4401;
const maxPort = 65_535;

export type Variables = Record<string, string | undefined>;

export function readChoices(env: Variables, args: string[]): Choices {
  const unknown = args.find((arg) => !argumentNames.includes(arg));
  if (unknown !== undefined) {
    throw new StartError(`Unknown argument ${unknown}; there is ${argumentNames.join(', ')}.`);
  }
  return {
    databaseUrl: env['DATABASE_URL']?.trim() || undefined,
    redisUrl: env['REDIS_URL']?.trim() || undefined,
    keyRing: env['BELFRY_KEYS']?.trim() || undefined,
    apiHost: env['API_HOST']?.trim() || '127.0.0.1',
    apiPort: readPort(env, 'API_PORT', defaultApiPort),
    dashboardPort: readPort(env, 'DASHBOARD_PORT', defaultDashboardPort),
    hasProcessPerRole: args.includes('--processes'),
  };
}

function readPort(env: Variables, name: string, defaultPort: number): number {
  const text = env[name]?.trim();
  if (!text) return defaultPort;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > maxPort) {
    throw new StartError(`${name} must be a whole number from 0 to ${maxPort}`);
  }
  return port;
}

/** The port itself, or a free one for 0; a taken one is named with the variable that changes it. */
export async function claimPort(variable: string, host: string, port: number): Promise<number> {
  if (port === 0) return findFreePort();
  if (await isPortFree(port, host)) return port;
  const suggestedPort = port < maxPort ? port + 10 : 0;
  throw new StartError(
    `Port ${port} on ${host} is taken by another program. ` +
      `End it, or choose another port: ${variable}=${suggestedPort} npm start`,
  );
}
