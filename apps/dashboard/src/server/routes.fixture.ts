import type { Express } from 'express';
import type { StoredDashboard } from './stored-dashboard.fixture';

export type Method = Parameters<StoredDashboard['call']>[0];
export type ListedRoute = { method: Method; path: string };

/** Read off Express itself, so that no route can be left out. */
export function listAppRoutes({ router }: Express): ListedRoute[] {
  return router.stack.flatMap(({ route }) =>
    [...new Set(route?.stack.map(({ method }) => method))].map((method) => ({
      method: method as Method,
      path: String(route?.path),
    })),
  );
}

/** Those that may change something, by `POST /api/apps`. */
export function listChangingRoutes(app: Express): Map<string, ListedRoute> {
  const changing = listAppRoutes(app).filter(({ method }) => method !== 'get');
  return new Map(changing.map((route) => [formatRoute(route), route]));
}

export function formatRoute({ method, path }: ListedRoute): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The path below `api/`, with a value for each parameter; `x`, which no row has, for what is not given. */
export function fillPath(path: string, values: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x').replace(/^\/api\//, '');
}
