import type { Express, Request, RequestHandler } from 'express';
import {
  allowAnyOrigin,
  answerOpenPreflight,
  answerPreflight,
} from './middleware/allow-any-origin';
import type { OpenCallsDeps } from './open-calls';
import type { ReaderCalls, ReaderCallsDeps } from './reader-calls';
import { createOpenPushRoutes, type OpenPushDeps } from './routes/open-push';
import { createSdkRoutes, type SdkRoutesDeps } from './routes/sdk';
import { createUnsubscribeRoutes, type UnsubscribeRoutesDeps } from './routes/unsubscribe';

export type BrowserRoutesDeps = OpenPushDeps &
  SdkRoutesDeps &
  UnsubscribeRoutesDeps & { inbox: Pick<OpenCallsDeps, 'findApp'> };

type BrowserChecks = Omit<ReaderCallsDeps, 'reader'>;

const [users, push] = ['/v1/apps/:app_id/users', '/v1/apps/:app_id/push'];

/**
 * The routes of browser SDKs for devices and topics, which need a token or signature. They come before the routes of a device, whose
 * id `sdk` could be.
 */
export function addSdkRoutes(app: Express, deps: BrowserRoutesDeps, calls: ReaderCalls): void {
  const sdk = createSdkRoutes(deps, calls);
  const add = createAddRoute(app, answerPreflight);
  add('post', `${users}/sdk`, sdk.createUser);
  add('get', `${users}/:user_id/sdk`, sdk.readUser);
  add('post', `${users}/:user_id/devices/sdk`, unlessKey(sdk.addDevice));
  add('delete', `${users}/:user_id/devices/:device_id/sdk`, sdk.removeDevice);
  add('post', `${push}/fcm/subscribe-topic`, sdk.subscribe);
  add('post', `${push}/fcm/unsubscribe-topic`, sdk.unsubscribe);
}

/** The push routes that browsers call without a credential. `withKey` handles a report that comes with an API key. */
export function addOpenPushRoutes(
  app: Express,
  deps: BrowserRoutesDeps,
  { checks, withKey }: { checks: BrowserChecks; withKey: RequestHandler },
): void {
  const { findApp } = deps.inbox;
  const open = createOpenPushRoutes(deps, { ...checks, findApp, takeOpenCall: deps.takeOpenCall });
  const add = createAddRoute(app, answerOpenPreflight);
  add('post', `${push}/status`, unlessKey(open.pushStatus), withKey);
  add('get', `${push}/web_push_key`, open.webPushKey);
  add('post', '/v1/apps/:app_id/in_app/status', open.inAppStatus);
}

/** The pages behind the links in messages. */
export function addUnsubscribeRoutes(
  app: Express,
  deps: UnsubscribeRoutesDeps,
  readBody: ReaderCallsDeps['readBody'],
): void {
  const pages = createUnsubscribeRoutes(deps, readBody);
  app.route('/u/:token').get(pages.question).post(pages.unsubscribe);
  app.route('/u/:token/preferences').get(pages.preferences).post(pages.savePreferences);
}

/** Adds a route that any origin may call, with its preflight. */
function createAddRoute(app: Express, preflight: RequestHandler) {
  return (method: 'get' | 'post' | 'delete', path: string, ...handlers: RequestHandler[]) => {
    app.options(path, allowAnyOrigin, preflight);
    app[method](path, allowAnyOrigin, ...handlers);
  };
}

/** Leaves a call with an API key to the next handler. */
function unlessKey(handler: RequestHandler): RequestHandler {
  return function handleUnlessKey(req, res, next) {
    return hasKey(req) ? next() : handler(req, res, next);
  };
}

/** A bearer token is that of a reader. */
function hasKey({ headers: { authorization } }: Request): boolean {
  return authorization !== undefined && !/^bearer /i.test(authorization);
}
