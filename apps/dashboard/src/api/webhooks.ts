import { operatorInput, webhookOutcomes } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { anyObject, createChoice, done, nullable, time } from './schemas';

const { webhookForm, webhookTypeName } = operatorInput;

const endpoint = Type.Object({
  id: Type.String(),
  url: Type.String(),
  types: Type.Array(webhookTypeName),
  description: Type.String(),
  /** `failing` since the last success; its circuit may be open. */
  state: createChoice(['active', 'failing', 'disabled']),
  disabledAt: nullable(time),
  /** A sentence. */
  disabledReason: nullable(Type.String()),
  failingSince: nullable(time),
  lastError: nullable(Type.String()),
  /** Until then, the previous secret signs too. */
  previousSecretEndsAt: nullable(time),
  /** Deliveries, each counted up to 1,000. */
  waiting: Type.Integer(),
  failed: Type.Integer(),
  createdAt: time,
  updatedAt: time,
});
export type WebhookEndpointAnswer = Static<typeof endpoint>;

const endpointWithSecret = Type.Object({
  endpoint,
  /** It is not shown again. */
  secret: Type.String(),
});

const list = Type.Object({
  endpoints: Type.Array(endpoint),
  maxEndpoints: Type.Integer(),
  /** Every event type, and when it is sent. */
  types: Type.Array(Type.Object({ name: webhookTypeName, means: Type.String() })),
});
export type WebhookListAnswer = Static<typeof list>;

const webhookTry = Type.Object({
  at: time,
  ms: Type.Integer(),
  /** Null if there was no answer. */
  status: nullable(Type.Integer()),
  /** The first 1,024 bytes. */
  answer: nullable(Type.String()),
  /** Null if it succeeded. */
  error: nullable(Type.String()),
});
export type WebhookTryAnswer = Static<typeof webhookTry>;

const delivery = Type.Object({
  /** The header `webhook-id`. */
  id: Type.String(),
  type: Type.String(),
  outcome: createChoice(webhookOutcomes),
  occurredAt: time,
  nextAt: nullable(time),
  /** Oldest first. */
  tries: Type.Array(webhookTry),
  /** The body as the next try would send it. */
  body: anyObject,
});
export type WebhookDeliveryAnswer = Static<typeof delivery>;

const deliveryPage = Type.Object({
  deliveries: Type.Array(delivery),
  next: nullable(Type.String()),
});
export type WebhookDeliveryPage = Static<typeof deliveryPage>;

export const webhookRoutes = {
  'GET /api/apps/:appId/webhooks': { access: 'viewer', answer: list },
  /** 409 `wrong_state` if the app has 10. */
  'POST /api/apps/:appId/webhooks': {
    access: 'editor',
    body: Type.Object(webhookForm),
    answer: endpointWithSecret,
    hasSecret: true,
    audit: 'webhook.created',
  },
  /** Omitted fields are kept. `isEnabled` true ends a disabling and forgets earlier failures. */
  'PATCH /api/apps/:appId/webhooks/:endpointId': {
    access: 'editor',
    body: Type.Partial(Type.Object({ ...webhookForm, isEnabled: Type.Boolean() })),
    answer: endpoint,
    audit: 'webhook.changed',
  },
  'DELETE /api/apps/:appId/webhooks/:endpointId': {
    access: 'editor',
    answer: done,
    audit: 'webhook.removed',
  },
  /** Both secrets sign for 24 hours. */
  'POST /api/apps/:appId/webhooks/:endpointId/rotate': {
    access: 'editor',
    answer: endpointWithSecret,
    hasSecret: true,
    audit: 'webhook.secret_rotated',
  },
  'POST /api/apps/:appId/webhooks/:endpointId/example': {
    access: 'editor',
    body: Type.Object({ type: webhookTypeName }),
    answer: delivery,
    audit: 'webhook.example_sent',
  },
  /** Newest first, 50 a page. `before` is `next` of the previous page. */
  'GET /api/apps/:appId/webhooks/:endpointId/deliveries': {
    access: 'viewer',
    query: Type.Object({
      outcome: Type.Optional(createChoice(webhookOutcomes)),
      before: Type.Optional(Type.String()),
    }),
    answer: deliveryPage,
  },
  'POST /api/apps/:appId/webhooks/:endpointId/deliveries/:deliveryId/resend': {
    access: 'editor',
    answer: delivery,
    audit: 'webhook.resent',
  },
  /** Resends at most 10,000 failed deliveries of events since then. */
  'POST /api/apps/:appId/webhooks/:endpointId/resend-failed': {
    access: 'editor',
    body: Type.Object({ since: Type.Integer({ minimum: 0 }) }),
    answer: Type.Object({ resent: Type.Integer() }),
    audit: 'webhook.resent',
  },
} as const satisfies Record<string, RouteSpec>;
