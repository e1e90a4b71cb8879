import type { Express } from 'express';
import type { StoredDashboard } from './stored-dashboard.fixture';

export type Method = Parameters<StoredDashboard['call']>[0];
export type ListedRoute = { method: Method; path: string };

/** Read from Express itself, so that no route is missed. */
export function listAppRoutes({ router }: Express): ListedRoute[] {
  return router.stack.flatMap(({ route }) =>
    [...new Set(route?.stack.map(({ method }) => method))].map((method) => ({
      method: method as Method,
      path: String(route?.path),
    })),
  );
}

/** Routes that may change something, as `POST /api/apps`. */
export function listChangingRoutes(app: Express): Map<string, ListedRoute> {
  const changing = listAppRoutes(app).filter(({ method }) => method !== 'get');
  return new Map(changing.map((route) => [formatRoute(route), route]));
}

export function formatRoute({ method, path }: ListedRoute): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The path below `api/` with its parameters filled in; missing ones become `x`, which matches no row. */
export function fillPath(path: string, values: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x').replace(/^\/api\//, '');
}
