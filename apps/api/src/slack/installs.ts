import type { ServerResponse } from 'node:http';
import { type SlackInstall, sealCredentials } from '@belfry/database';
import { readSlackTicket, type Secrets } from '@belfry/runtime';
import type { Installation, InstallationStore } from '@slack/bolt';

export type SlackInstallsDeps = {
  secrets: Pick<Secrets, 'open' | 'seal'>;
  /** False where the account has no such integration any more. */
  fillIntegration(
    actor: { accountId: string; operatorId: string | undefined },
    install: SlackInstall,
  ): Promise<boolean>;
  now(): Date;
};

/** An installation of the Slack app fills the integration that its ticket names, with the token that it gave. */
export function createSlackInstalls({ secrets, fillIntegration, now }: SlackInstallsDeps) {
  const readTicket = (text: string) => readSlackTicket(text, { secrets, nowMs: now().getTime() });

  const store: InstallationStore = {
    async storeInstallation(installation) {
      const ticket = readTicket(String(installation.metadata ?? ''));
      const parsedInstallation = readInstallation(installation);
      if (!ticket || !parsedInstallation) throw new Error('Not an installation that we can use');
      const { integrationId, accountId, operatorId } = ticket;
      const { settings, token } = parsedInstallation;
      const credentials = sealCredentials(integrationId, { access_token: token }, secrets);
      const install = { integrationId, credentials, settings };
      const isFilled = await fillIntegration({ accountId, operatorId }, install);
      if (!isFilled) throw new Error('The integration is gone');
    },
    // Messages are sent by the worker, with the integration's own token.
    fetchInstallation: () => Promise.reject(new Error('Nothing is looked up here')),
  };

  return {
    store,
    pages,
    isTicket: (text: string) => readTicket(text) !== undefined,
  };
}

/** A bot token of one workspace that does not run out; undefined for anything else. */
function readInstallation({
  bot,
  team,
  appId,
  isEnterpriseInstall,
}: Installation<'v1' | 'v2', boolean>) {
  if (!bot || !team || !appId || isEnterpriseInstall || bot.refreshToken !== undefined) {
    return undefined;
  }
  const settings = { team_id: team.id, app_id: appId, bot_user_id: bot.userId };
  return { token: bot.token, settings };
}

type Page = { status: number; text: string };

const successPage: Page = {
  status: 200,
  text: 'Slack is connected. You may close this page, and test the connection in the dashboard.',
};
const failurePage: Page = {
  status: 400,
  text:
    'Slack was not connected. Begin again from the dashboard; the app must be installed in one workspace, and the rotation of its ' +
    'tokens must be off.',
};

/** What the library asks for: the answer is its last argument. */
const pages = {
  success: (...[, , , res]: [unknown, unknown, unknown, ServerResponse]) => show(res, successPage),
  failure: (...[, , , res]: [unknown, unknown, unknown, ServerResponse]) => show(res, failurePage),
};

function show(res: ServerResponse, { status, text }: Page): void {
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.writeHead(status);
  res.end(text);
}
