import type { ServerResponse } from 'node:http';
import { type SlackInstall, sealCredentials } from '@belfry/database';
import { readSlackTicket, type Secrets } from '@belfry/runtime';
import type { Installation, InstallationStore } from '@slack/bolt';

export type SlackInstallsDeps = {
  secrets: Pick<Secrets, 'open' | 'seal'>;
  /** False if the account no longer has the integration. */
  fillIntegration(
    actor: { accountId: string; operatorId: string | undefined },
    install: SlackInstall,
  ): Promise<boolean>;
  now(): Date;
};

/** Stores the token of a Slack installation in the integration that the ticket names. */
export function createSlackInstalls({ secrets, fillIntegration, now }: SlackInstallsDeps) {
  const readTicket = (text: string) => readSlackTicket(text, { secrets, nowMs: now().getTime() });

  const store: InstallationStore = {
    async storeInstallation(installation) {
      const ticket = readTicket(String(installation.metadata ?? ''));
      const parsedInstallation = readInstallation(installation);
      if (!ticket || !parsedInstallation)
        throw new Error('This Slack installation has no usable ticket or bot token');
      const { integrationId, accountId, operatorId } = ticket;
      const { settings, token } = parsedInstallation;
      const credentials = sealCredentials(integrationId, { access_token: token }, secrets);
      const install = { integrationId, credentials, settings };
      const isFilled = await fillIntegration({ accountId, operatorId }, install);
      if (!isFilled) throw new Error('The integration no longer exists');
    },
    // The worker sends messages with the token of the integration, so the library never reads installations.
    fetchInstallation: () => Promise.reject(new Error('Belfry does not read Slack installations')),
  };

  return {
    store,
    pages,
    isTicket: (text: string) => readTicket(text) !== undefined,
  };
}

/** The non-expiring bot token of one workspace; undefined for anything else. */
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
  text: 'Slack is connected. You can close this page and test the connection in the dashboard.',
};
const failurePage: Page = {
  status: 400,
  text: 'Slack is not connected. Start again from the dashboard. Install the app in a single workspace, and turn token rotation off.',
};

/** The callbacks of the library. The response is the last argument. */
const pages = {
  success: (...[, , , res]: [unknown, unknown, unknown, ServerResponse]) => show(res, successPage),
  failure: (...[, , , res]: [unknown, unknown, unknown, ServerResponse]) => show(res, failurePage),
};

function show(res: ServerResponse, { status, text }: Page): void {
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.writeHead(status);
  res.end(text);
}
