import type { Logger } from '@belfry/runtime';
import express, { type Express, type RequestHandler } from 'express';
import { createCompress } from './compress';
import type { Connections } from './connection';
import { addDocs, addPages, setSafeHeaders } from './pages';
import { Refusal } from './problem';
import { createBodyReaders } from './read-bodies';
import {
  addRoutes,
  createHandleProblems,
  type Handlers,
  type RoutesDeps,
  refuseUnreadableTargets,
} from './route';
import { type AlertHandlersDeps, createAlertHandlers } from './routes/alerts';
import { type AppHandlersDeps, createAppHandlers } from './routes/apps';
import { type AuditHandlersDeps, createAuditHandlers } from './routes/audit';
import { type CaptureHandlersDeps, createCaptureHandlers } from './routes/captures';
import { type CategoryHandlersDeps, createCategoryHandlers } from './routes/categories';
import { createEventHandlers, type EventHandlersDeps } from './routes/events';
import { createFindHandlers, type FindHandlersDeps } from './routes/find';
import { createInboxSecretHandlers, type InboxSecretHandlersDeps } from './routes/inbox-secrets';
import { createIntegrationHandlers, type IntegrationHandlersDeps } from './routes/integrations';
import { createKeyHandlers, type KeyHandlersDeps } from './routes/keys';
import { createLogHandlers, type LogHandlersDeps } from './routes/log';
import { createOverviewHandlers, type OverviewHandlersDeps } from './routes/overview';
import { createPeopleHandlers, type PeopleHandlersDeps } from './routes/people';
import { createQueueHandlers, type QueueHandlersDeps } from './routes/queues';
import { createRegistryHandlers } from './routes/registry';
import { createRequestItemHandlers, type RequestItemHandlersDeps } from './routes/request-items';
import { createRequestHandlers, type RequestHandlersDeps } from './routes/requests';
import { createResendHandlers, type ResendHandlersDeps } from './routes/resends';
import { createSavedFilterHandlers, type SavedFilterHandlersDeps } from './routes/saved-filters';
import { createSessionHandlers, type SessionHandlersDeps } from './routes/session';
import { createSuppressionHandlers, type SuppressionHandlersDeps } from './routes/suppressions';
import { createTestSendHandlers, type TestSendHandlersDeps } from './routes/test-send';
import { createTotpHandlers, type TotpHandlersDeps } from './routes/totp';
import { createUserHandlers, type UserHandlersDeps } from './routes/users';
import { createWebhookHandlers, type WebhookHandlersDeps } from './routes/webhooks';

export type DashboardDeps = {
  connections: Connections;
  routes: RoutesDeps;
  session: SessionHandlersDeps;
  totp: TotpHandlersDeps;
  keys: KeyHandlersDeps;
  apps: AppHandlersDeps;
  inboxSecrets: InboxSecretHandlersDeps;
  integrations: IntegrationHandlersDeps;
  webhooks: WebhookHandlersDeps;
  events: EventHandlersDeps;
  trying: TestSendHandlersDeps;
  log: LogHandlersDeps;
  savedFilters: SavedFilterHandlersDeps;
  categories: CategoryHandlersDeps;
  requests: RequestHandlersDeps;
  requestItems: RequestItemHandlersDeps;
  resends: ResendHandlersDeps;
  find: FindHandlersDeps;
  overview: OverviewHandlersDeps;
  queues: QueueHandlersDeps;
  alerts: AlertHandlersDeps;
  captures: CaptureHandlersDeps;
  audit: AuditHandlersDeps;
  people: PeopleHandlersDeps;
  users: UserHandlersDeps & SuppressionHandlersDeps;
  /** Whether the process is ready: PostgreSQL has its tables. */
  ready(): Promise<boolean>;
  /** Directory of the built page. */
  webDir: string;
  /** Directory of the documentation. */
  docsDir: string;
  logger: Logger;
};

/** The dashboard: all middleware and routes, in order. */
export function createDashboard(deps: DashboardDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use(setSafeHeaders, createCompress());
  app.get('/livez', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', createReadyz(deps.ready));
  const { requireHttps, refuseForeignNames, requireOwnOrigin } = deps.connections;
  app.use(requireHttps, refuseForeignNames, refuseUnreadableTargets);
  app.use('/api', requireOwnOrigin);
  const bodies = createBodyReaders(deps.routes);
  const handlers = createHandlers(deps);
  app.use('/api/frames', bodies.readForm);
  addRoutes(app, handlers, { ...deps.routes, isForm: true });
  app.use('/api', bodies.readJson);
  addRoutes(app, handlers, { ...deps.routes, isForm: false });
  app.use('/api', noRoute);
  addDocs(app, deps.docsDir);
  addPages(app, deps.webDir);
  app.use(noRoute);
  app.use(createHandleProblems({ log: deps.logger }));
  return app;
}

const noRoute: RequestHandler = (_req, _res, next) =>
  next(new Refusal('not_found', 'There is no route for this method and path.'));

function createReadyz(ready: () => Promise<boolean>): RequestHandler {
  return async function readyz(_req, res) {
    const isReady = await ready().catch(() => false);
    res.status(isReady ? 200 : 503).json({ status: isReady ? 'ok' : 'not ready' });
  };
}

function createHandlers(deps: DashboardDeps): Handlers {
  return {
    ...createSessionHandlers(deps.session),
    ...createTotpHandlers(deps.totp),
    ...createKeyHandlers(deps.keys),
    ...createPeopleHandlers(deps.people),
    ...createAppHandlers(deps.apps),
    ...createInboxSecretHandlers(deps.inboxSecrets),
    ...createRegistryHandlers(deps.integrations),
    ...createAuditHandlers(deps.audit),
    ...createIntegrationHandlers(deps.integrations),
    ...createWebhookHandlers(deps.webhooks),
    ...createEventHandlers(deps.events),
    ...createTestSendHandlers(deps.trying),
    ...createLogHandlers(deps.log),
    ...createSavedFilterHandlers(deps.savedFilters),
    ...createCategoryHandlers(deps.categories),
    ...createRequestHandlers(deps.requests),
    ...createRequestItemHandlers(deps.requestItems),
    ...createResendHandlers(deps.resends),
    ...createCaptureHandlers(deps.captures),
    ...createUserHandlers(deps.users),
    ...createSuppressionHandlers(deps.users),
    ...createOverviewHandlers(deps.overview),
    ...createQueueHandlers(deps.queues),
    ...createAlertHandlers(deps.alerts),
    ...createFindHandlers(deps.find),
  };
}
