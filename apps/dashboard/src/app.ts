import type { Logger } from '@belfry/runtime';
import express, { type Express } from 'express';
import { createBeginCall } from './middleware/begin-call';
import { createHandleErrors, notFound } from './middleware/handle-errors';
import { createRequireHttps, type HttpsRules } from './middleware/require-https';
import { createRequireOwnApp } from './middleware/require-own-app';
import { requireOwnOrigin } from './middleware/require-own-origin';
import { createRequireSession } from './middleware/require-session';
import { createSecurityHeaders } from './middleware/security-headers';
import { createReadBody } from './read-body';
import { createKeyRoutes, type KeyRoutesDeps } from './routes/account-keys';
import { type AppRoutesDeps, createAppRoutes } from './routes/apps';
import { createEventRoutes, type EventRoutesDeps } from './routes/events';
import { createReadyz, livez } from './routes/health';
import { createIntegrationRoutes, type IntegrationRoutesDeps } from './routes/integrations';
import { createSessionRoutes, type SessionRoutesDeps } from './routes/sessions';
import { createSignInRoutes, type SignInRoutesDeps } from './routes/sign-in';
import { type AskAgainDeps, createAskAgain } from './sessions/ask-again';

export type DashboardDeps = SignInRoutesDeps &
  AskAgainDeps &
  KeyRoutesDeps &
  AppRoutesDeps &
  IntegrationRoutesDeps &
  EventRoutesDeps &
  SessionRoutesDeps & {
    https: HttpsRules;
    /** Whether the store answers. */
    ready(): Promise<boolean>;
    log: Logger;
    newId: () => string;
  };

/** The dashboard's server: every route and every step before it, in order. */
export function createDashboard(deps: DashboardDeps): Express {
  const app = createExpress();
  const signIn = createSignInRoutes(deps);
  const sessions = createSessionRoutes(deps);

  app.use(createBeginCall(deps));
  app.use(createSecurityHeaders(deps.isTrustedProxy));
  app.get('/livez', livez);
  app.get('/readyz', createReadyz(deps));
  app.use(createRequireHttps(deps.https));
  app.use(requireOwnOrigin);
  app.use(createReadBody());

  app.get('/api/welcome', signIn.welcome);
  app.post('/api/setup/check', signIn.checkLink);
  app.post('/api/setup', signIn.setUp);
  app.post('/api/sign-in', signIn.signIn);

  app.use('/api', createRequireSession(deps.sessions));
  app.get('/api/session', sessions.current);
  app.post('/api/sign-out', sessions.signOut);
  app.get('/api/sessions', sessions.list);
  app.delete('/api/sessions', sessions.endOthers);
  app.delete('/api/sessions/:session_id', sessions.end);

  addAccountRoutes(app, deps);
  addIntegrationRoutes(app, deps);
  addEventRoutes(app, deps);

  app.use(notFound);
  app.use(createHandleErrors(deps));
  return app;
}

function addAccountRoutes(app: Express, deps: DashboardDeps): void {
  const keys = createKeyRoutes(deps, createAskAgain(deps));
  const apps = createAppRoutes(deps);
  app.get('/api/account/keys', keys.list);
  app.post('/api/account/keys', keys.create);
  app.post('/api/account/keys/:key_id/show', keys.show);
  app.delete('/api/account/keys/:key_id', keys.end);
  app.get('/api/apps', apps.list);
  app.post('/api/apps', apps.create);
  app.use('/api/apps/:app_id', createRequireOwnApp(deps.apps));
  app.put('/api/apps/:app_id', apps.change);
}

function addIntegrationRoutes(app: Express, deps: DashboardDeps): void {
  const integrations = createIntegrationRoutes(deps);
  const one = '/api/apps/:app_id/integrations/:integration_id';
  app.get('/api/providers', integrations.providers);
  app.get('/api/apps/:app_id/integrations', integrations.list);
  app.post('/api/apps/:app_id/integrations', integrations.create);
  app.get(one, integrations.read);
  app.put(one, integrations.change);
  app.delete(one, integrations.remove);
  app.post(`${one}/test`, integrations.test);
  app.post(`${one}/pause`, integrations.pause);
  app.post(`${one}/resume`, integrations.resume);
}

function addEventRoutes(app: Express, deps: DashboardDeps): void {
  const events = createEventRoutes(deps);
  const one = '/api/apps/:app_id/events/:event_id';
  app.get('/api/apps/:app_id/events', events.list);
  app.post('/api/apps/:app_id/events', events.create);
  app.get(one, events.read);
  app.delete(one, events.remove);
  app.put(`${one}/draft`, events.save);
  app.post(`${one}/publish`, events.publish);
  app.post('/api/apps/:app_id/preview', events.preview);
}

function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  return app;
}
