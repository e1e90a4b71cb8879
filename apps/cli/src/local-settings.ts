import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * What `npm start` runs with on this machine, for commands that are given nothing else: the stores and the ring that lie in
 * `home`; nothing where it never ran.
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
  const facts = new Map(Object.entries(typeof ready === 'object' && ready !== null ? ready : {}));
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, setting]) => {
      const value: unknown = facts.get(name);
      return typeof value === 'string' ? [[setting, value]] : [];
    }),
  );
}
