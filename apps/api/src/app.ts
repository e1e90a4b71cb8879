import type { BulkSend, SendEvent } from '@belfry/pipeline/accept';
import type { DryRun } from '@belfry/pipeline/operate';
import { getClientNetwork, type Logger } from '@belfry/runtime';
import { collectExtraFields, createReadSend, type WireChannels } from '@belfry/shared';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { createAccountQueue } from './account-queue';
import {
  addOpenPushRoutes,
  addSdkRoutes,
  addUnsubscribeRoutes,
  type BrowserRoutesDeps,
} from './browser-routes';
import {
  type AccessLogDeps,
  createAccessLog,
  createRequestId,
  createRequireHttps,
  type RequireHttpsDeps,
} from './call';
import { allowAnyOrigin, answerPreflight } from './middleware/allow-any-origin';
import type { AuthenticateReaderDeps } from './middleware/authenticate-reader';
import {
  type AuthenticateDeps,
  createAuthenticate,
  createCheckDeclaredBody,
  type LimitRate,
  refuseEncoding,
} from './middleware/before-body';
import { type BodyPaceOptions, createBodyMemory, createBodyPace } from './middleware/body-limits';
import { checkTarget } from './middleware/check-target';
import { createHandleErrors, notFound } from './middleware/handle-errors';
import {
  createReadBody,
  createReadJson,
  type ReadBody,
  type ReadBodyOptions,
  type ReadJson,
} from './middleware/read-body';
import type { Operation } from './operation';
import { type Checks, createPost, type PostDeps } from './post';
import { createReaderCalls, type ReaderCalls } from './reader-calls';
import { createBulkSendRoute } from './routes/bulk-events';
import { type CancelRouteDeps, createCancelRoute } from './routes/cancel';
import { createDeviceRoutes, type DeviceRoutesDeps } from './routes/devices';
import { createDocsRoutes } from './routes/docs';
import { createDryRunRoute, refuseDryRun, withDryRun } from './routes/dry-run';
import { createSendEventRoute, type EventRoutesDeps } from './routes/events';
import { createReadyz, livez } from './routes/health';
import { createInboxRoutes, type InboxRoutesDeps, maxInboxBodyBytes } from './routes/inbox';
import { inboxItemOperations } from './routes/inbox-item-operations';
import { createInboxItemRoutes, type InboxItemsDeps } from './routes/inbox-items';
import { inboxOperations } from './routes/inbox-operations';
import { createInboxStreamRoute, type InboxStreamDeps } from './routes/inbox-stream';
import { openPushOperations } from './routes/open-push';
import { createOpenApiRoute } from './routes/openapi';
import { createPreferencesRoutes, type PreferencesRoutesDeps } from './routes/preferences';
import { createPushStatusRoute } from './routes/push-status';
import { createReceiptRoutes, maxReceiptBytes, type ReceiptRoutesDeps } from './routes/receipts';
import { createRequestStatusRoutes, type RequestStatusDeps } from './routes/request-status';
import { createSandboxRoute, type SandboxRouteDeps } from './routes/sandbox';
import { listSdkOperations } from './routes/sdk-operations';
import { unsubscribeBody } from './routes/unsubscribe';
import { createUserInboxRoute } from './routes/user-inbox';
import { createUserRoutes, type UserRoutesDeps } from './routes/users';
import { addWebhookRoutes } from './routes/webhook-paths';
import type { WebhookRoutesDeps } from './routes/webhooks';
import { type Api, createDirectRoute } from './server';
import { createHandlersWithoutIdempotencyKey } from './without-idempotency-key';

export type ApiDeps = AuthenticateDeps &
  UserRoutesDeps &
  PreferencesRoutesDeps &
  DeviceRoutesDeps &
  InboxRoutesDeps &
  InboxItemsDeps &
  InboxStreamDeps & { inbox: AuthenticateReaderDeps } & ReceiptRoutesDeps &
  BrowserRoutesDeps &
  RequestStatusDeps &
  CancelRouteDeps &
  SandboxRouteDeps &
  WebhookRoutesDeps &
  Pick<PostDeps, 'runIdempotentRequest' | 'tracing' | 'isPaused'> & {
    sendEvent: SendEvent;
    bulkSend: BulkSend;
    dryRun: DryRun;
    /** The Slack routes, if this installation has a Slack app. */
    slack?: RequestHandler;
    maxBatchItems: number;
    limitRate: LimitRate;
    /** Whether the stores answer. */
    ready(): Promise<boolean>;
    /** The channel registry. It determines the fields of the API. */
    channels: WireChannels;
    https: RequireHttpsDeps;
    bodies: { maxBodyBytes: number; maxBodiesInMemoryBytes: number; pace: BodyPaceOptions };
    metrics: AccessLogDeps['metrics'] & EventRoutesDeps['metrics'];
    publicUrl: string;
    log: Logger;
    newId: () => string;
  };

/** Creates the gateway: all middleware and routes, in order. */
export function createApi(deps: ApiDeps): Api {
  const app = createExpress();
  const readInSequence = createAccountQueue();
  const readBody = createBodyReaders(deps.bodies);
  const checks = createBackendChecks(deps, readBody, createReadJson(readInSequence));
  const { post, postUnparsed, postWithoutBody } = createPost({ ...deps, ...checks });
  const { put, withoutBody, waiting } = createHandlersWithoutIdempotencyKey(checks);
  const readSend = createReadSend(deps.channels);
  const sendEvent = createSendEventRoute({ ...deps, readSend });
  const tryEvent = put(createDryRunRoute({ ...deps, readSend }).answer, { isStored: false });
  const bulkSend = createBulkSendRoute({ ...deps, readInSequence });
  const pushStatus = createPushStatusRoute(deps);
  const [requests, sandbox] = [createRequestStatusRoutes(deps), createSandboxRoute(deps)];
  const cancel = createCancelRoute(deps);
  const browserChecks = createBrowserChecks(deps, readBody);
  const readerCalls = createReaderCalls({ ...browserChecks, reader: deps.inbox });

  const steps = addSteps(app, deps);
  const handleErrors = createHandleErrors(deps);
  // Express tries routes in order, so the busiest comes first. It also has a direct route.
  const send = post(sendEvent);
  app.post(sendPath, withDryRun(send, tryEvent));
  addSdkRoutes(app, deps, readerCalls);
  const users = addUserRoutes(app, deps, { post, put, withoutBody });
  const events = [sendEvent, bulkSend, cancel];
  const webhooks = addWebhookRoutes(app, deps, { post, postWithoutBody, put, withoutBody });
  const others = [...Object.values(requests), ...users, pushStatus, sandbox, ...webhooks];
  const operations = listOperations(deps, [...events, ...others]);
  app.get('/openapi.json', createOpenApiRoute(operations, deps.publicUrl));
  addDocsRoutes(app);
  app.post(
    '/v1/apps/:app_id/events/bulk_send',
    withDryRun(postUnparsed(bulkSend), put(refuseDryRun, { isStored: false })),
  );
  app.post('/v1/apps/:app_id/events/cancel', post(cancel));
  addOpenPushRoutes(app, deps, { checks: browserChecks, withKey: post(pushStatus) });
  app.get('/v1/apps/:app_id/requests', withoutBody(requests.find.answer));
  app.get('/v1/apps/:app_id/requests/:request_id', withoutBody(requests.read.answer));
  app.get('/v1/apps/:app_id/sandbox/wait', waiting(sandbox.answer));
  addInboxRoutes(app, deps, readerCalls);
  addReceiptRoutes(app, deps, readBody);
  addUnsubscribeRoutes(app, deps, readForNetwork(deps, readBody(unsubscribeBody)));
  addSlackRoutes(app, deps, readBody);
  app.use(notFound, handleErrors);
  const directRoute = createDirectRoute({ path: sendPath, steps, handler: send, handleErrors });
  return Object.assign(app, { directRoute });
}

const sendPath = '/v1/apps/:app_id/events/send';

/** Adds the middleware before every route, and the health routes. The direct route skips `checkTarget`: its URL has no escapes. */
function addSteps(app: Express, deps: ApiDeps): RequestHandler[] {
  const [requestId, accessLog] = [createRequestId(deps), createAccessLog(deps)];
  const requireHttps = createRequireHttps(deps.https);
  app.use([requestId, accessLog, checkTarget]);
  app.get('/livez', livez);
  app.get('/readyz', createReadyz(deps));
  app.use(requireHttps);
  return [requestId, accessLog, requireHttps];
}

type UserHandlers = Pick<ReturnType<typeof createPost>, 'post'> &
  Pick<ReturnType<typeof createHandlersWithoutIdempotencyKey>, 'put' | 'withoutBody'>;

/** The routes of users with their devices and inbox. Returns those that the API lists here. */
function addUserRoutes(app: Express, deps: ApiDeps, { post, put, withoutBody }: UserHandlers) {
  const [users, devices] = [createUserRoutes(deps), createDeviceRoutes(deps)];
  const inbox = createUserInboxRoute(deps);
  const preferences = createPreferencesRoutes(deps);
  app.post('/v1/apps/:app_id/users', post(users.write));
  app.get('/v1/apps/:app_id/users/:user_id', withoutBody(users.read.answer));
  app
    .route('/v1/apps/:app_id/users/:user_id/preferences')
    .get(withoutBody(preferences.readPreferences.answer))
    .put(put(preferences.writePreferences.answer, { isStored: true }));
  app.post('/v1/apps/:app_id/users/:user_id/devices', post(devices.add));
  app
    .route('/v1/apps/:app_id/users/:user_id/devices/:device_id')
    .post(post(devices.updateByPost))
    .put(put(devices.update.answer, { isStored: true }))
    .get(withoutBody(devices.read.answer))
    .delete(withoutBody(devices.remove.answer));
  app.get('/v1/apps/:app_id/users/:user_id/inbox', withoutBody(inbox.answer));
  return [users, preferences, devices].flatMap((routes): { operation: Operation }[] =>
    Object.values(routes),
  );
}

function addDocsRoutes(app: Express): void {
  const docs = createDocsRoutes();
  app.get('/docs', docs.page);
  app.get('/docs/:name', docs.asset);
}

function listOperations(
  { channels }: ApiDeps,
  routes: readonly { operation: Operation }[],
): Operation[] {
  return [
    ...routes.map(({ operation }) => operation),
    ...Object.values(openPushOperations),
    ...Object.values(inboxOperations),
    ...Object.values(inboxItemOperations),
    ...listSdkOperations(collectExtraFields(channels)),
  ];
}

function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  return app;
}

type BodyReaders = (body: Pick<ReadBodyOptions, 'kind' | 'maxBodyBytes'>) => ReadBody;

/** Creates body readers for all routes that share one memory limit. */
function createBodyReaders({ maxBodiesInMemoryBytes, maxBodyBytes, pace }: ApiDeps['bodies']) {
  const memory = createBodyMemory({ maxBytes: maxBodiesInMemoryBytes, maxBodyBytes });
  const shared = { memory, pace: createBodyPace(pace) };
  return (body: Parameters<BodyReaders>[0]) => createReadBody({ ...body, ...shared });
}

const inboxPath = '/v1/apps/:app_id/in_app_notifications';

/** The inbox routes that front ends call. Browsers may call these, the SDK routes and the open push routes. */
function addInboxRoutes(app: Express, deps: ApiDeps, calls: ReaderCalls): void {
  const [inbox, items] = [createInboxRoutes(deps, calls), createInboxItemRoutes(deps, calls)];
  app.use(inboxPath, allowAnyOrigin);
  app.options(`${inboxPath}/:call`, answerPreflight);
  app.options(`${inboxPath}/items/:message_id`, answerPreflight);
  app.post(`${inboxPath}/setup`, inbox.setup);
  app.post(`${inboxPath}/fetch`, inbox.fetch);
  app.get(`${inboxPath}/unread_count`, inbox.unreadCount);
  app.put(`${inboxPath}/update`, inbox.update);
  app.put(`${inboxPath}/read_all`, inbox.readAll);
  app.put(`${inboxPath}/last_open`, inbox.lastOpen);
  app.get(`${inboxPath}/stream`, createInboxStreamRoute(deps, calls));
  app.post(`${inboxPath}/stream_ticket`, items.createTicket);
  app.route(`${inboxPath}/items`).get(items.list).put(items.changeAll);
  app.put(`${inboxPath}/items/:message_id`, items.change);
  app.get(`${inboxPath}/counts`, items.counts);
}

/** The checks of calls with an API key. */
function createBackendChecks(deps: ApiDeps, createReader: BodyReaders, readJson: ReadJson): Checks {
  const { maxBodyBytes } = deps.bodies;
  return {
    authenticate: createAuthenticate(deps),
    checkDeclaredBody: createCheckDeclaredBody({ maxBodyBytes }),
    limitRate: deps.limitRate,
    readBody: createReader({ kind: 'account', maxBodyBytes }),
    readJson,
  };
}

/** The checks of calls from browsers, whose bodies are small and read before the caller is authenticated. */
function createBrowserChecks(deps: ApiDeps, createReader: BodyReaders) {
  const small = { maxBodyBytes: maxInboxBodyBytes };
  return {
    checkDeclaredBody: createCheckDeclaredBody(small),
    readBody: readForNetwork(deps, createReader({ kind: 'network', ...small })),
    limitRate: deps.limitRate,
  };
}

/** The routes that providers call. A secret in the path replaces the API key. */
function addReceiptRoutes(app: Express, deps: ApiDeps, createReader: BodyReaders): void {
  const readBody = createReader({ kind: 'receipt', maxBodyBytes: maxReceiptBytes });
  const receipts = createReceiptRoutes(deps, readBody);
  app.route('/v1/receipts/:integration_id/:secret').post(receipts.read).get(receipts.handshake);
}

/** Slack events have a few hundred bytes. */
const maxSlackEventBytes = 64 * 1024;

/** Slack's library reads the body before it checks the signature, so this reads the body first, with limits. */
function addSlackRoutes(app: Express, deps: ApiDeps, createReader: BodyReaders): void {
  if (!deps.slack) return;
  const limits = { kind: 'network', maxBodyBytes: maxSlackEventBytes } as const;
  const readBody = readForNetwork(deps, createReader(limits));
  app.post('/slack/events', async (req, res, next) => {
    refuseEncoding(req);
    Object.assign(req, { rawBody: await readBody(req, res) });
    next();
  });
  app.use(deps.slack);
}

/** Reads bodies before the caller is authenticated. */
function readForNetwork({ https }: ApiDeps, readBody: ReadBody) {
  return (req: Request, res: Response) =>
    readBody(req, res, getClientNetwork(req, https.isTrustedProxy));
}
