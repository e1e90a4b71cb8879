import type { Logger } from '@belfry/runtime';
import express, { type Express, type RequestHandler } from 'express';
import type { Connections } from './connection';
import { addPages, sendFrame, setSafeHeaders } from './pages';
import { Refusal } from './problem';
import { type BodyReaders, createBodyReaders } from './read-bodies';
import {
  createHandleProblems,
  createRoutes,
  type RoutesDeps,
  refuseUnreadableTargets,
  skipAnswer,
} from './route';
import { type AppRoutesDeps, createAppRoutes } from './routes/apps';
import { type AuditRoutesDeps, createAuditRoutes } from './routes/audit';
import { type CaptureRoutesDeps, createCaptureRoutes } from './routes/captures';
import { createEventRoutes, type EventRoutesDeps } from './routes/events';
import { createFindRoutes, type FindRoutesDeps } from './routes/find';
import { createIntegrationRoutes, type IntegrationRoutesDeps } from './routes/integrations';
import { createKeyRoutes, type KeyRoutesDeps } from './routes/keys';
import { createLogRoutes, type LogRoutesDeps } from './routes/log';
import { createPeopleRoutes, type PeopleRoutesDeps } from './routes/people';
import { createQueueRoutes, type QueueRoutesDeps } from './routes/queues';
import { createRegistryRoutes } from './routes/registry';
import { createRequestRoutes, type RequestRoutesDeps } from './routes/requests';
import { createResendRoutes, type ResendRoutesDeps } from './routes/resends';
import { createSavedFilterRoutes, type SavedFilterRoutesDeps } from './routes/saved-filters';
import { createSessionRoutes, type SessionRoutesDeps } from './routes/session';
import { createTestSendRoutes, type TestSendRoutesDeps } from './routes/test-send';
import { createUserRoutes, type UserRoutesDeps } from './routes/users';

export type DashboardDeps = {
  connections: Connections;
  routes: RoutesDeps;
  session: SessionRoutesDeps;
  keys: KeyRoutesDeps;
  apps: AppRoutesDeps;
  integrations: IntegrationRoutesDeps;
  events: EventRoutesDeps;
  trying: TestSendRoutesDeps;
  log: LogRoutesDeps;
  savedFilters: SavedFilterRoutesDeps;
  requests: RequestRoutesDeps;
  resends: ResendRoutesDeps;
  find: FindRoutesDeps;
  queues: QueueRoutesDeps;
  captures: CaptureRoutesDeps;
  audit: AuditRoutesDeps;
  people: PeopleRoutesDeps;
  users: UserRoutesDeps;
  /** Whether the process is ready: PostgreSQL has its tables. */
  ready(): Promise<boolean>;
  /** Directory of the built page. */
  webDir: string;
  logger: Logger;
};

/** The dashboard: all middleware and routes, in order. */
export function createDashboard(deps: DashboardDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use(setSafeHeaders);
  app.get('/livez', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', createReadyz(deps.ready));
  const { requireHttps, refuseForeignNames, requireOwnOrigin } = deps.connections;
  app.use(requireHttps, refuseForeignNames, refuseUnreadableTargets);
  app.use('/api', requireOwnOrigin);
  const bodies = createBodyReaders(deps.routes);
  addFrames(app, deps, bodies);
  app.use('/api', bodies.readJson);
  addRoutes(app, deps);
  app.use('/api', noRoute);
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

/** Takes a form, because only a form post can target a frame. */
function addFrames(app: Express, deps: DashboardDeps, { readForm }: BodyReaders): void {
  const { signedIn } = createRoutes(deps.routes);
  app.post(
    '/api/frames',
    readForm,
    signedIn(
      async ({ res, body }) => {
        sendFrame(res, body);
        return {};
      },
      { answer: skipAnswer, allowsViewers: true },
    ),
  );
}

function addRoutes(app: Express, deps: DashboardDeps): void {
  const routes = createRoutes(deps.routes);
  const session = createSessionRoutes(deps.session, routes);
  const keys = createKeyRoutes(deps.keys, routes);
  const apps = createAppRoutes(deps.apps, routes);
  app.route('/api/session').get(session.read).post(session.signIn).delete(session.signOut);
  app.post('/api/set-up/look', session.look);
  app.post('/api/set-up', session.setUp);
  app.get('/api/sessions', session.list);
  app.delete('/api/sessions/:id', session.end);
  app.put('/api/password', session.changePassword);
  app.route('/api/keys').get(keys.list).post(keys.create);
  app.post('/api/keys/:id/show', keys.show);
  app.post('/api/keys/:id/end', keys.end);
  app.route('/api/apps').get(apps.list).post(apps.create);
  app.route('/api/apps/:appId').patch(apps.change).delete(apps.remove);
  app.post('/api/apps/:appId/pause', apps.pause);
  app.post('/api/apps/:appId/resume', apps.resume);
  app.get('/api/registry', createRegistryRoutes(deps.integrations, routes).read);
  app.get('/api/audit', createAuditRoutes(deps.audit, routes).list);
  addPeople(app, deps);
  addConfiguration(app, deps);
  addRunning(app, deps);
}

/** Operators of the account and users of its apps. */
function addPeople(app: Express, deps: DashboardDeps): void {
  const routes = createRoutes(deps.routes);
  const people = createPeopleRoutes(deps.people, routes);
  const users = createUserRoutes(deps.users, routes);
  app.get('/api/people', people.list);
  app.post('/api/people/invitations', people.invite);
  app.delete('/api/people/invitations/:id', people.revoke);
  app.route('/api/people/:id').patch(people.changeRole).delete(people.remove);
  app.get('/api/apps/:appId/users', users.list);
  app.route('/api/apps/:appId/users/:userSid').get(users.read).delete(users.erase);
  app.get('/api/apps/:appId/erasures', users.listErasures);
  const suppressionsAt = '/api/apps/:appId/suppressions';
  app.route(suppressionsAt).get(users.listSuppressions).post(users.suppress);
  app.delete(`${suppressionsAt}/:id`, users.allow);
}

/** Configuration of an app. */
function addConfiguration(app: Express, deps: DashboardDeps): void {
  const routes = createRoutes(deps.routes);
  const integrations = createIntegrationRoutes(deps.integrations, routes);
  const events = createEventRoutes(deps.events, routes);
  const trying = createTestSendRoutes(deps.trying, routes);
  const integrationsAt = '/api/apps/:appId/integrations';
  app.route(integrationsAt).get(integrations.list).post(integrations.create);
  app.post(`${integrationsAt}/test`, integrations.testForm);
  app
    .route(`${integrationsAt}/:id`)
    .get(integrations.read)
    .put(integrations.change)
    .delete(integrations.remove);
  app.post(`${integrationsAt}/:id/test`, integrations.testStored);
  app.post(`${integrationsAt}/:id/slack-install`, integrations.slackInstall);
  app.post(`${integrationsAt}/:id/pause`, integrations.pause);
  app.post(`${integrationsAt}/:id/resume`, integrations.resume);
  const eventsAt = '/api/apps/:appId/events';
  app.route(eventsAt).get(events.list).post(events.create);
  app.route(`${eventsAt}/:eventId`).get(events.read).patch(events.rename).delete(events.remove);
  app.put(`${eventsAt}/:eventId/draft`, events.saveDraft);
  app.post(`${eventsAt}/:eventId/check`, events.checkDraft);
  app.post(`${eventsAt}/:eventId/variables`, events.variables);
  app.post(`${eventsAt}/:eventId/publish`, events.publish);
  app.post(`${eventsAt}/:eventId/discard`, events.discard);
  app.get(`${eventsAt}/:eventId/versions`, events.listVersions);
  app.get(`${eventsAt}/:eventId/versions/:versionId`, events.readVersion);
  app.post(`${eventsAt}/:eventId/versions/:versionId/restore`, events.restore);
  app.post(`${eventsAt}/:eventId/versions/:versionId/roll-back`, events.rollBack);
  app.get(`${eventsAt}/:eventId/sample`, trying.sample);
  app.post(`${eventsAt}/:eventId/preview`, trying.preview);
  app.post(`${eventsAt}/:eventId/test`, trying.testSend);
  app.post(`${eventsAt}/:eventId/call-example`, trying.example);
}

/** Activity of an app. */
function addRunning(app: Express, deps: DashboardDeps): void {
  const routes = createRoutes(deps.routes);
  const log = createLogRoutes(deps.log, routes);
  const requests = createRequestRoutes(deps.requests, routes);
  const queues = createQueueRoutes(deps.queues, routes);
  const captures = createCaptureRoutes(deps.captures, routes);
  app.get('/api/apps/:appId/log', log.list);
  app.get('/api/apps/:appId/log/live', log.live);
  const filters = createSavedFilterRoutes(deps.savedFilters, routes);
  app.route('/api/apps/:appId/filters').get(filters.list).post(filters.create);
  app.route('/api/apps/:appId/filters/:id').patch(filters.change).delete(filters.remove);
  app.get('/api/apps/:appId/requests/:requestId', requests.read);
  app.get('/api/apps/:appId/requests/:requestId/explanation', requests.explain);
  app.post('/api/apps/:appId/messages/:messageId/resend', requests.resend);
  app.post('/api/apps/:appId/messages/:messageId/cancel', requests.cancel);
  app.post('/api/apps/:appId/channels/:channel/pause', queues.pause);
  app.post('/api/apps/:appId/channels/:channel/resume', queues.resume);
  const capturesAt = '/api/apps/:appId/captures';
  app.route(capturesAt).get(captures.list).delete(captures.removeAll);
  app.route(`${capturesAt}/:captureId`).get(captures.read).delete(captures.remove);
  addResends(app, deps);
  app.get('/api/find', createFindRoutes(deps.find, routes).find);
  app.get('/api/queues', queues.read);
  app.get('/api/status', queues.status);
}

/** Bulk resends by filter. */
function addResends(app: Express, deps: DashboardDeps): void {
  const resends = createResendRoutes(deps.resends, createRoutes(deps.routes));
  const resendsAt = '/api/apps/:appId/resends';
  app.route(resendsAt).get(resends.list).post(resends.start);
  app.get(`${resendsAt}/count`, resends.count);
  app.get(`${resendsAt}/:resendId`, resends.read);
  app.post(`${resendsAt}/:resendId/cancel`, resends.cancel);
}
