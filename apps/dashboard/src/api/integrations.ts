import type { FieldProblem } from './problem';

/** GET api/apps/:appId/integrations */
export type IntegrationListAnswer = { integrations: IntegrationAnswer[] };

export type IntegrationState = 'active' | 'needs_attention' | 'paused';

/** Also GET api/apps/:appId/integrations/:id */
export type IntegrationAnswer = {
  id: string;
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  /** The last four characters of each stored credential. Empty for passwords, short credentials and viewers. */
  credentials: Record<string, { last4: string }>;
  state: IntegrationState;
  stateReason: string | null;
  usedBy: UsedBy[];
  /** Number of messages that wait for it, counted up to 1,000. */
  waiting: number;
  createdAt: number;
  updatedAt: number;
  /** Webhook URL for delivery receipts, if the provider sends them. */
  receiptUrl: string | null;
  /** Slack can fill the integration through its install page, see SlackInstallAnswer. */
  canAddToSlack: boolean;
  /** Problems that the provider's `check` finds in the stored settings, for example after an upgrade of Belfry. */
  problems: FieldProblem[];
};

/** POST api/apps/:appId/integrations/:id/slack-install: the URL that starts Add to Slack. It is valid for one hour. */
export type SlackInstallAnswer = { url: string };

export type UsedBy = {
  eventId: string;
  name: string;
  /** Whether the live version or only the draft uses it. */
  in: ('live' | 'draft')[];
  /** It is the only integration of this channel. Without it the channel sends nothing. */
  isOnly: boolean;
};

/**
 * POST api/apps/:appId/integrations; answers IntegrationAnswer. Omitted settings get their defaults, if they have
 * one.
 */
export type NewIntegrationBody = {
  name: string;
  channel: string;
  provider: string;
  settings?: Record<string, unknown>;
  credentials?: Record<string, unknown>;
};

/**
 * PUT api/apps/:appId/integrations/:id; answers IntegrationAnswer. An omitted credential is kept; null removes it.
 * `settings` replace the stored ones, but omitted required settings are kept. If a setting changes that stored
 * credentials are bound to, such as the host, the credentials must be entered again: 422 `invalid` names each of
 * them. `updatedAt` comes from the answer that the form was filled from; 409 `draft_changed` if another operator
 * saved since then.
 */
export type IntegrationChangeBody = {
  updatedAt: number;
  name?: string;
  settings?: Record<string, unknown>;
  credentials?: Record<string, string | null>;
};

/**
 * POST api/apps/:appId/integrations/test tests an unsaved integration. With `id`, omitted credentials are taken from
 * the stored integration.
 */
export type TestConnectionBody = {
  id?: string;
  channel: string;
  provider: string;
  settings?: Record<string, unknown>;
  credentials?: Record<string, unknown>;
};

/**
 * Also POST api/apps/:appId/integrations/:id/test, for the stored integration. A passed test reactivates one that
 * needed attention.
 */
export type TestConnectionAnswer = {
  isWorking: boolean;
  /** The answer of the provider as a sentence. */
  detail: string;
  tookMs: number;
  testedAt: number;
};

/** POST api/apps/:appId/integrations/:id/pause and /resume; answers IntegrationAnswer. */

/**
 * DELETE api/apps/:appId/integrations/:id: 409 `needs_confirmation` with the consequences unless `confirm` is true.
 * Answers Done.
 */
export type RemoveIntegrationBody = { confirm?: boolean };
