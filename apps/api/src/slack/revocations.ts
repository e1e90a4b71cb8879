import type { SlackRevocation } from '@belfry/database';
import type { Logger } from '@belfry/runtime';
import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';

export type SlackRevocations = {
  /** Returns the IDs of the marked integrations. */
  markRevoked(revocation: SlackRevocation): Promise<string[]>;
  log: Logger;
};

type Args<Event extends string> = SlackEventMiddlewareArgs<Event> & AllMiddlewareArgs;

/** Marks an integration as `needs_attention` as soon as Slack revokes its token, not with the next failed message. */
export function createRevocations({ markRevoked, log }: SlackRevocations) {
  async function mark(revocation: SlackRevocation): Promise<void> {
    for (const integrationId of await markRevoked(revocation)) {
      log.warn('integration.needs_attention', { integration_id: integrationId });
    }
  }

  return {
    async onUninstalled({ body }: Args<'app_uninstalled'>): Promise<void> {
      const reason = 'The Slack app was uninstalled from the workspace. Install it again.';
      await mark({ teamId: body.team_id, appId: body.api_app_id, botUserIds: undefined, reason });
    },

    async onTokensRevoked({ body, event }: Args<'tokens_revoked'>): Promise<void> {
      const botUserIds = event.tokens.bot ?? [];
      if (botUserIds.length === 0) return;
      const reason = 'Slack revoked the token. Install the app again.';
      await mark({ teamId: body.team_id, appId: body.api_app_id, botUserIds, reason });
    },
  };
}
