import type { Express } from 'express';

/** What app.ts has routed, such as `GET /livez`: read off Express itself, so that none can be left out. */
export function listRoutes({ router }: Express): string[] {
  return router.stack.flatMap(({ route }) =>
    route
      ? [...new Set(route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`))]
      : [],
  );
}

/** The values of a path's parameters by name. */
export type PathValues = Record<string, string>;

/** The names of the parameters in a route's path, in order. */
export function listParameterNames(route: string): string[] {
  return [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** Method and path of a call of the route; the path is below the app. */
export function fillRoute(route: string, values: PathValues) {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? 'none'),
  );
  return { method: method.toLowerCase(), path: filled };
}

/** Below /v1, and for providers: the secret in the path stands for the API key, and no account is named. */
export const providerRoutes = [
  'POST /v1/receipts/:integration_id/:secret',
  'GET /v1/receipts/:integration_id/:secret',
];

const inboxPath = '/v1/apps/:app_id/in_app_notifications';

/** A signature of the user stands for the API key: inbox.int.test.ts has their rules. */
export const frontEndRoutes = [
  `POST ${inboxPath}/setup`,
  `POST ${inboxPath}/fetch`,
  `GET ${inboxPath}/unread_count`,
  `PUT ${inboxPath}/update`,
  `PUT ${inboxPath}/read_all`,
  `PUT ${inboxPath}/last_open`,
];

/** What a browser asks before each of them. */
const preflight = `OPTIONS ${inboxPath}/:call`;

/** They answer everybody alike. */
export const publicRoutes = [
  'GET /livez',
  'GET /readyz',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/:name',
  preflight,
];

/** A body that each route of the interface takes; a route without one has an empty row. */
export const bodyByRoute: Record<string, ((eventName: string) => object) | undefined> = {
  'POST /v1/apps/:app_id/events/send': (event) => ({ event, user: { email: 'a@example.com' } }),
  'POST /v1/apps/:app_id/events/bulk_send': (event) => ({
    event,
    batch: [{ user: { email: 'a@example.com' } }],
  }),
  'POST /v1/apps/:app_id/users': () => ({ user_id: 'somebody', email: 'a@example.com' }),
  'GET /v1/apps/:app_id/users/:user_id': undefined,
  'GET /v1/apps/:app_id/users/:user_id/inbox': undefined,
  'POST /v1/apps/:app_id/users/:user_id/devices': () => ({ platform: 'ios' }),
  'POST /v1/apps/:app_id/users/:user_id/devices/:device_id': () => ({ platform: 'ios' }),
  'PUT /v1/apps/:app_id/users/:user_id/devices/:device_id': () => ({ platform: 'ios' }),
  'GET /v1/apps/:app_id/users/:user_id/devices/:device_id': undefined,
  'DELETE /v1/apps/:app_id/users/:user_id/devices/:device_id': undefined,
  'POST /v1/apps/:app_id/push/status': () => ({ notification_id: 'nobody', type: 'CLICKED' }),
  'GET /v1/apps/:app_id/requests/:request_id': undefined,
  'GET /v1/apps/:app_id/sandbox/wait': undefined,
};

/** The query of a route that would take its time without one. */
export const queryByRoute: Record<string, Record<string, string> | undefined> = {
  'GET /v1/apps/:app_id/sandbox/wait': { timeout: '0' },
};

export const routesWithRow = Object.keys(bodyByRoute);
