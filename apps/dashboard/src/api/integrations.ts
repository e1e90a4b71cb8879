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
  /** The last four characters of each stored credential. Empty for passwords, for short credentials, and for viewers. */
  credentials: Record<string, { last4: string }>;
  state: IntegrationState;
  stateReason: string | null;
  usedBy: UsedBy[];
  /** Messages that wait for it; counted up to 1,000. */
  waiting: number;
  createdAt: number;
  updatedAt: number;
  /** Where the provider reports to, where it does. */
  receiptUrl: string | null;
  /** Slack itself can fill it: see SlackInstallAnswer. */
  canAddToSlack: boolean;
  /** What `check` of its provider has against it now, as after an update of Belfry. */
  problems: FieldProblem[];
};

/** POST api/apps/:appId/integrations/:id/slack-install: where Add to Slack begins, for an hour. */
export type SlackInstallAnswer = { url: string };

export type UsedBy = {
  eventId: string;
  name: string;
  /** Its live version names it, or only its draft. */
  in: ('live' | 'draft')[];
  /** It is the only integration of this channel: without it the channel sends nothing. */
  isOnly: boolean;
};

/** POST api/apps/:appId/integrations; answers IntegrationAnswer. Settings that are left out have their default, where there is one. */
export type NewIntegrationBody = {
  name: string;
  channel: string;
  provider: string;
  settings?: Record<string, unknown>;
  credentials?: Record<string, unknown>;
};

/**
 * PUT api/apps/:appId/integrations/:id; answers IntegrationAnswer. A credential that is left out stays as it is; null
 * takes it away. `settings` replace the stored ones; those that the provider requires stay where they are left out. When a setting or an account name changes that stored credentials are bound to, such as the host, they
 * must be entered again: 422 `invalid` names each of them. `updatedAt` is that of the answer it was made from: 409 `draft_changed` when somebody saved in between.
 */
export type IntegrationChangeBody = {
  updatedAt: number;
  name?: string;
  settings?: Record<string, unknown>;
  credentials?: Record<string, string | null>;
};

/**
 * POST api/apps/:appId/integrations/test, before it is saved. With `id`, credentials that are left out are the stored
 * ones, as for a change.
 */
export type TestConnectionBody = {
  id?: string;
  channel: string;
  provider: string;
  settings?: Record<string, unknown>;
  credentials?: Record<string, unknown>;
};

/** Also POST api/apps/:appId/integrations/:id/test, of what is stored: a passed test makes one active that needed attention. */
export type TestConnectionAnswer = {
  isWorking: boolean;
  /** What the provider answered, as a sentence. */
  detail: string;
  tookMs: number;
  testedAt: number;
};

/** POST api/apps/:appId/integrations/:id/pause and /resume; answers IntegrationAnswer. */

/** DELETE api/apps/:appId/integrations/:id: 409 `needs_confirmation`, saying what it breaks, unless `confirm`. Answers Done. */
export type RemoveIntegrationBody = { confirm?: boolean };
