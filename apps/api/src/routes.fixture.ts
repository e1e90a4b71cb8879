import type { Express } from 'express';

/** Every route of app.ts, such as `GET /livez`. Read from Express, so that none can be missed. */
export function listRoutes({ router }: Express): string[] {
  return router.stack.flatMap(({ route }) =>
    route
      ? [...new Set(route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`))]
      : [],
  );
}

/** Values of path parameters by name. */
export type PathValues = Record<string, string>;

/** Names of a route's path parameters, in order. */
export function listParameterNames(route: string): string[] {
  return [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** Method and path of a call of the route. The path is relative to the app. */
export function fillRoute(route: string, values: PathValues) {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? 'none'),
  );
  return { method: method.toLowerCase(), path: filled };
}

/** Routes for providers: a secret in the path replaces the API key, and the path names no account. */
export const providerRoutes = [
  'POST /v1/receipts/:integration_id/:secret',
  'GET /v1/receipts/:integration_id/:secret',
];

const inboxPath = '/v1/apps/:app_id/in_app_notifications';

const appPath = '/v1/apps/:app_id';

/** Routes of browser SDKs with a user signature or a token. sdk.int.test.ts tests their rules. */
const sdkRoutes = [
  `POST ${appPath}/users/sdk`,
  `GET ${appPath}/users/:user_id/sdk`,
  `POST ${appPath}/users/:user_id/devices/sdk`,
  `DELETE ${appPath}/users/:user_id/devices/:device_id/sdk`,
  `POST ${appPath}/push/fcm/subscribe-topic`,
  `POST ${appPath}/push/fcm/unsubscribe-topic`,
];

/** Routes with a user signature or a token instead of an API key. inbox.int.test.ts tests the rules of the inbox. */
export const frontEndRoutes = [
  ...sdkRoutes,
  `POST ${inboxPath}/setup`,
  `POST ${inboxPath}/fetch`,
  `GET ${inboxPath}/unread_count`,
  `PUT ${inboxPath}/update`,
  `PUT ${inboxPath}/read_all`,
  `PUT ${inboxPath}/last_open`,
  `GET ${inboxPath}/items`,
  `PUT ${inboxPath}/items`,
  `PUT ${inboxPath}/items/:message_id`,
  `GET ${inboxPath}/counts`,
  `POST ${inboxPath}/stream_ticket`,
  `GET ${inboxPath}/stream`,
];

/** Documented routes that need no credential. open-push.int.test.ts tests their rules. */
export const openRoutes = [`GET ${appPath}/push/web_push_key`, `POST ${appPath}/in_app/status`];

/** Called with an API key by a backend, and without one by a browser. */
export const pushStatusRoute = `POST ${appPath}/push/status`;

/** The CORS preflight of each route that browsers call. */
const preflights = [
  `OPTIONS ${inboxPath}/:call`,
  `OPTIONS ${inboxPath}/items/:message_id`,
  ...[...sdkRoutes, ...openRoutes, pushStatusRoute].map((route) =>
    route.replace(/^\w+/, 'OPTIONS'),
  ),
];

/** Pages behind links in messages: a sealed token replaces the credential. unsubscribe.int.test.ts tests their rules. */
export const linkRoutes = [
  'GET /u/:token',
  'POST /u/:token',
  'GET /u/:token/preferences',
  'POST /u/:token/preferences',
];

/** Routes without authentication. */
export const publicRoutes = [
  'GET /livez',
  'GET /readyz',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/:name',
  ...preflights,
];

export const cancelRoute = 'POST /v1/apps/:app_id/events/cancel';
/** Finds a request by its idempotency key, which is in the query. */
export const findRoute = 'GET /v1/apps/:app_id/requests';

/** A valid body for each route of the API; undefined for routes without one. */
export const bodyByRoute: Record<string, ((eventName: string) => object) | undefined> = {
  'POST /v1/apps/:app_id/events/send': (event) => ({ event, user: { email: 'a@example.com' } }),
  'POST /v1/apps/:app_id/events/bulk_send': (event) => ({
    event,
    batch: [{ user: { email: 'a@example.com' } }],
  }),
  [cancelRoute]: () => ({ cancel_key: 'nothing' }),
  'POST /v1/apps/:app_id/users': () => ({ user_id: 'somebody', email: 'a@example.com' }),
  'GET /v1/apps/:app_id/users/:user_id': undefined,
  'GET /v1/apps/:app_id/users/:user_id/preferences': undefined,
  'PUT /v1/apps/:app_id/users/:user_id/preferences': () => ({ disabled: true }),
  'GET /v1/apps/:app_id/users/:user_id/inbox': undefined,
  'POST /v1/apps/:app_id/users/:user_id/devices': () => ({ platform: 'ios' }),
  'POST /v1/apps/:app_id/users/:user_id/devices/:device_id': () => ({ platform: 'ios' }),
  'PUT /v1/apps/:app_id/users/:user_id/devices/:device_id': () => ({ platform: 'ios' }),
  'GET /v1/apps/:app_id/users/:user_id/devices/:device_id': undefined,
  'DELETE /v1/apps/:app_id/users/:user_id/devices/:device_id': undefined,
  'POST /v1/apps/:app_id/push/status': () => ({ notification_id: 'nobody', type: 'CLICKED' }),
  'GET /v1/apps/:app_id/requests/:request_id': undefined,
  [findRoute]: undefined,
  'GET /v1/apps/:app_id/sandbox/wait': undefined,
  'GET /v1/apps/:app_id/webhooks': undefined,
  'POST /v1/apps/:app_id/webhooks': () => ({ url: 'https://receiver.example/hooks' }),
  'GET /v1/apps/:app_id/webhooks/:endpoint_id': undefined,
  'PUT /v1/apps/:app_id/webhooks/:endpoint_id': () => ({ description: 'Orders' }),
  'DELETE /v1/apps/:app_id/webhooks/:endpoint_id': undefined,
  'POST /v1/apps/:app_id/webhooks/:endpoint_id/rotate_secret': undefined,
  'POST /v1/apps/:app_id/webhooks/:endpoint_id/example': () => ({ type: 'message.failed' }),
  'GET /v1/apps/:app_id/webhooks/:endpoint_id/deliveries': undefined,
  'POST /v1/apps/:app_id/webhooks/:endpoint_id/deliveries/:delivery_id/resend': undefined,
  'POST /v1/apps/:app_id/webhooks/:endpoint_id/resend_failed': () => ({ since: 0 }),
};

/** The query of a route that would wait without one. */
export const queryByRoute: Record<string, Record<string, string> | undefined> = {
  'GET /v1/apps/:app_id/sandbox/wait': { timeout: '0' },
};

export const routesWithRow = Object.keys(bodyByRoute);
