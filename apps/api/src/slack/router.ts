import type { Logger } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { ExpressReceiver } from '@slack/bolt';
import { type RequestHandler, Router } from 'express';
import { createSlackInstalls, type SlackInstallsDeps } from './installs';
import { createRevocations, type SlackRevocations } from './revocations';

/** The Slack app of this installation of Belfry. */
export type SlackApp = {
  clientId: string;
  clientSecret: string;
  signingSecret: string;
  /** Base URL of the Slack API, for a simulator. */
  apiUrl: string | undefined;
};

export type SlackRouterDeps = SlackInstallsDeps & {
  app: SlackApp;
  publicUrl: string;
  /** Signs the state that goes through the browser to Slack and back. */
  stateSecret: string;
  markRevoked: SlackRevocations['markRevoked'];
  log: Logger;
};

/** The scopes for sending to channels and to users found by e-mail address. */
const scopes = ['chat:write', 'im:write', 'users:read', 'users:read.email'];
const redirectPath = '/slack/oauth_redirect';
const callTimeoutMs = 10_000;

/** `/slack/events`, `/slack/install` and `/slack/oauth_redirect`, handled by Slack's library, which is loaded here. */
export async function createSlackRouter(deps: SlackRouterDeps): Promise<RequestHandler> {
  const { App, ExpressReceiver: Receiver, LogLevel } = await import('@slack/bolt');
  const { app, publicUrl, log } = deps;
  const redirectUri = `${publicUrl.replace(/(?<!\/)\/+$/, '')}${redirectPath}`;
  const installs = createSlackInstalls(deps);
  const router = Router();
  // Before the library's own route for this path, which knows nothing of integrations.
  router.get('/slack/install', (req, res) => start(receiver, installs, { req, res, redirectUri }));
  const logger = createLibraryLogger(log, LogLevel.ERROR);
  const receiver = new Receiver({
    router,
    signingSecret: app.signingSecret,
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    stateSecret: deps.stateSecret,
    scopes,
    redirectUri,
    installationStore: installs.store,
    installerOptions: {
      directInstall: true,
      redirectUriPath: redirectPath,
      callbackOptions: installs.pages,
      clientOptions: buildClientOptions(app),
      ...(app.apiUrl ? { authorizationUrl: new URL('/oauth/v2/authorize', app.apiUrl).href } : {}),
    },
    // Slack repeats events that got no 200, so respond only after the integration is marked.
    processBeforeResponse: true,
    logger,
  });
  const bolt = new App({ receiver, logger });
  const revocations = createRevocations(deps);
  bolt.event('app_uninstalled', revocations.onUninstalled);
  bolt.event('tokens_revoked', revocations.onTokensRevoked);
  return router;
}

type Start = {
  req: Parameters<RequestHandler>[0];
  res: Parameters<RequestHandler>[1];
  redirectUri: string;
};

async function start(
  { installer }: ExpressReceiver,
  { isTicket }: ReturnType<typeof createSlackInstalls>,
  { req, res, redirectUri }: Start,
): Promise<void> {
  const { ticket } = req.query;
  // A URL that the dashboard did not create gets a 404.
  if (!installer || typeof ticket !== 'string' || !isTicket(ticket))
    throw new AppError('not_found');
  await installer.handleInstallPath(req, res, undefined, { scopes, redirectUri, metadata: ticket });
}

function buildClientOptions({ apiUrl }: SlackApp) {
  return {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callTimeoutMs,
  };
}

/** The library's log lines may contain tokens, so only the fact of an error is logged. */
function createLibraryLogger<Level>(log: Logger, level: Level) {
  const quiet = () => undefined;
  return {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: () => log.warn('slack.failed'),
    setLevel: quiet,
    getLevel: () => level,
    setName: quiet,
  };
}
