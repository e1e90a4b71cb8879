import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The settings that `npm start` uses on this machine, read from `home`: store URLs and keys. Empty if `npm start` never ran.
 * They are defaults: the environment wins.
 */
export function readLocalSettings(home: string): Record<string, string> {
  try {
    const ready: unknown = JSON.parse(readFileSync(path.join(home, 'ready.json'), 'utf8'));
    const keys = readFileSync(path.join(home, 'keys'), 'utf8').trim();
    return { ...toSettings(ready), BELFRY_KEYS: keys };
  } catch {
    return {};
  }
}

function toSettings(ready: unknown): Record<string, string> {
  const names = {
    database_url: 'DATABASE_URL',
    redis_url: 'REDIS_URL',
    dashboard_url: 'DASHBOARD_URL',
  };
  const values = new Map(Object.entries(typeof ready === 'object' && ready !== null ? ready : {}));
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, setting]) => {
      const value: unknown = values.get(name);
      return typeof value === 'string' ? [[setting, value]] : [];
    }),
  );
}
