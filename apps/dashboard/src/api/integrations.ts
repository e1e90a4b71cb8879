import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import {
  anyObject,
  confirmSchema,
  createChoice,
  done,
  nameSchema,
  nullable,
  time,
} from './schemas';

const integrationState = createChoice(['active', 'needs_attention', 'paused']);

/**
 * Everything is about the stored settings and credentials: a save that changes one of them makes the integration untested.
 * Counts are attempts of the last hour, in steps of 5 minutes. A connection test is not an attempt.
 */
export const integrationHealth = Type.Object({
  verdict: createChoice([
    'untested',
    'healthy',
    'degraded',
    'failing',
    'needs_attention',
    'paused',
  ]),
  lastSuccessAt: nullable(time),
  lastFailureAt: nullable(time),
  /** The newest failure as a sentence, with host and port if nothing answered. */
  lastError: nullable(Type.String()),
  /** Failures since the last success. */
  failuresInRow: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  /** No call is made until the circuit closes; then one tries again. */
  isCircuitOpen: Type.Boolean(),
  pausedAt: nullable(time),
  /** Null for the command line, and for pauses from before Belfry stored it. */
  pausedBy: nullable(Type.String()),
});
export type IntegrationHealthAnswer = Static<typeof integrationHealth>;

const usedBy = Type.Object({
  eventId: Type.String(),
  name: Type.String(),
  /** Whether the live version or only the draft uses it. */
  in: Type.Array(createChoice(['live', 'draft'])),
  /** It is the only integration of this channel. Without it the channel sends nothing. */
  isOnly: Type.Boolean(),
});
export type UsedBy = Static<typeof usedBy>;

/** A stored credential, as far as a form may show it. */
const storedCredential = Type.Object({
  /** The last four characters. Empty for passwords, short credentials and viewers. */
  last4: Type.String(),
  /** The whole value of an account or user name, which is no secret. Null for secrets and viewers. */
  value: nullable(Type.String()),
  /** When it was last entered. Null if that was before Belfry stored it. */
  changedAt: nullable(time),
});
export type StoredCredential = Static<typeof storedCredential>;

const integration = Type.Object({
  id: Type.String(),
  name: Type.String(),
  channel: Type.String(),
  provider: Type.String(),
  settings: anyObject,
  credentials: Type.Record(Type.String(), storedCredential),
  state: integrationState,
  stateReason: nullable(Type.String()),
  health: integrationHealth,
  usedBy: Type.Array(usedBy),
  /** Number of queued messages that have it. The log shows them with `state=queued&integration=<name>`. */
  waiting: Type.Integer(),
  /** There may be more: counts stop at 1,000, and after the first 5,000 messages of the channel. */
  isWaitingCapped: Type.Boolean(),
  createdAt: time,
  updatedAt: time,
  /** Webhook URL for delivery receipts and replies, if an operator enters it at the provider. */
  receiptUrl: nullable(Type.String()),
  /** The TXT record that lets receivers verify the messages, if Belfry signs them. */
  dnsRecord: nullable(Type.Object({ name: Type.String(), value: Type.String() })),
  /** Whether the mail server signed the last mail of a connection test, if Belfry does not sign. */
  mailSignature: nullable(Type.String()),
  /** Slack can fill the integration through its install page, see the route `slack-install`. */
  canAddToSlack: Type.Boolean(),
  /** Problems that the provider's `check` finds in the stored settings, for example after an upgrade of Belfry. */
  problems: Type.Array(Type.Object({ path: Type.String(), problem: Type.String() })),
});
export type IntegrationAnswer = Static<typeof integration>;

const testResult = Type.Object({
  isWorking: Type.Boolean(),
  /** The answer of the provider as a sentence. */
  detail: Type.String(),
  tookMs: Type.Integer(),
  testedAt: time,
});
export type TestConnectionAnswer = Static<typeof testResult>;

const formValues = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 });
const form = { settings: Type.Optional(formValues), credentials: Type.Optional(formValues) };
const kind = { channel: Type.String(), provider: Type.String() };

export const integrationRoutes = {
  'GET /api/apps/:appId/integrations': {
    access: 'viewer',
    answer: Type.Object({ integrations: Type.Array(integration) }),
    hasSecret: true,
  },
  /**
   * Omitted settings get their defaults, if they have one, and Belfry makes keys that it can make. 409 `name_taken`, also for a
   * second integration of a provider that an app may have once.
   */
  'POST /api/apps/:appId/integrations': {
    access: 'editor',
    body: Type.Object({ ...kind, ...form, name: nameSchema }),
    answer: integration,
    audit: 'integration.created',
  },
  /** Tests an unsaved integration. With `id`, omitted credentials are taken from the stored integration. */
  'POST /api/apps/:appId/integrations/test': {
    access: 'editor',
    body: Type.Object({ ...kind, ...form, id: Type.Optional(Type.String({ maxLength: 36 })) }),
    answer: testResult,
    audit: 'integration.tested',
  },
  'GET /api/apps/:appId/integrations/:id': {
    access: 'viewer',
    answer: integration,
    hasSecret: true,
  },
  /**
   * An omitted credential is kept; null removes it, and a new one is made if Belfry can make it. `settings` replace the stored ones, but omitted required settings
   * are kept. If a setting changes that stored credentials are bound to, such as the host, the credentials must be
   * entered again: 422 `invalid` names each of them. `updatedAt` comes from the answer that the form was filled from;
   * 409 `draft_changed` if another operator saved since then. 409 `name_taken`.
   */
  'PUT /api/apps/:appId/integrations/:id': {
    access: 'editor',
    body: Type.Object({ ...form, updatedAt: Type.Number(), name: Type.Optional(nameSchema) }),
    answer: integration,
    audit: 'integration.changed',
  },
  /** 409 `needs_confirmation` with the consequences unless `confirm` is true. */
  'DELETE /api/apps/:appId/integrations/:id': {
    access: 'editor',
    body: Type.Object({ confirm: confirmSchema }),
    answer: done,
    audit: 'integration.removed',
  },
  /**
   * Tests the stored integration. A passed test reactivates one that needed attention. With a bounce domain and no DKIM key, a mail goes to the bounce domain
   * and shows whether the mail server signs: `mailSignature`.
   */
  'POST /api/apps/:appId/integrations/:id/test': {
    access: 'editor',
    answer: testResult,
    audit: ['integration.activated', 'integration.tested'],
  },
  /** The URL that starts Add to Slack. It is valid for one hour. Its callback records `integration.installed`. */
  'POST /api/apps/:appId/integrations/:id/slack-install': {
    access: 'editor',
    answer: Type.Object({ url: Type.String() }),
  },
  'POST /api/apps/:appId/integrations/:id/pause': {
    access: 'editor',
    answer: integration,
    audit: 'integration.paused',
  },
  'POST /api/apps/:appId/integrations/:id/resume': {
    access: 'editor',
    answer: integration,
    audit: 'integration.resumed',
  },
} as const satisfies Record<string, RouteSpec>;
