import { type Static, Type } from '@sinclair/typebox';
import { limits } from './limits';
import { definedOnly } from './members';
import {
  type WebhookEvent,
  type WebhookType,
  webhookEvent,
  webhookTypeNames,
} from './webhook-events';

/** Why an endpoint gets no webhooks. */
export const webhookDisabledReasons = {
  gone: 'It answered with HTTP status 410.',
  failing: 'Every try failed for 5 days.',
  manual: 'It was switched off.',
} as const satisfies Record<string, string>;

export type WebhookDisabledReason = keyof typeof webhookDisabledReasons;

/** An endpoint as stored, without its secrets. */
export type WebhookEndpoint = {
  id: string;
  url: string;
  types: WebhookType[];
  description: string;
  disabledAt: Date | null;
  disabledReason: WebhookDisabledReason | null;
  /** The first failure since the last success. */
  failingSince: Date | null;
  lastError: string | null;
  /** The previous secret signs too until then. Null, or in the past, if it does not. */
  previousSecretEndsAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

export type WebhookOutcome = 'waiting' | 'delivered' | 'failed';
export const webhookOutcomes: readonly WebhookOutcome[] = ['waiting', 'delivered', 'failed'];

/** One HTTP request of a delivery. */
export type WebhookTry = {
  /** Unix milliseconds. */
  at: number;
  ms: number;
  /** Absent if there was no answer. */
  status?: number;
  /** The start of the answer. */
  answer?: string;
  /** Why it failed. */
  error?: string;
};

export type WebhookDelivery = {
  id: string;
  type: string;
  outcome: WebhookOutcome;
  occurredAt: Date;
  /** While it waits. */
  nextAt: Date | null;
  tries: WebhookTry[];
};

const eventType = Type.Unsafe<WebhookType>({
  type: 'string',
  enum: webhookTypeNames,
  'x-problem': `must be one of ${webhookTypeNames.join(', ')}`,
});

const typeList = Type.Array(eventType, {
  minItems: 1,
  maxItems: webhookTypeNames.length,
  uniqueItems: true,
  'x-problem': `must have 1 to ${webhookTypeNames.length} different event types`,
  description: 'The event types that it gets. Default: all.',
});

const members = {
  url: Type.String({
    minLength: 1,
    maxLength: limits.webhookUrlCharacters,
    description: 'https, port 443, a public host, no user name or password.',
  }),
  types: Type.Optional(typeList),
  description: Type.Optional(
    Type.String({
      maxLength: limits.webhookDescriptionCharacters,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      'x-problem': `must have at most ${limits.webhookDescriptionCharacters} characters and no control characters`,
    }),
  ),
};

export const newWebhookBody = Type.Object(members);
export type NewWebhookBody = Static<typeof newWebhookBody>;

export const webhookBody = Type.Object(
  {
    ...members,
    url: Type.Optional(members.url),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'true ends a disabling and forgets earlier failures; false stops all deliveries.',
      }),
    ),
  },
  { description: 'Absent fields stay unchanged.' },
);
export type WebhookBody = Static<typeof webhookBody>;

const uuid = Type.String({ format: 'uuid' });
const time = (description?: string) =>
  Type.Integer({ description: `Unix milliseconds${description ? `: ${description}` : '.'}` });

export const webhookAnswer = Type.Object({
  id: uuid,
  url: Type.String(),
  types: Type.Array(eventType),
  description: Type.String(),
  enabled: Type.Boolean(),
  disabled_at: Type.Optional(time()),
  disabled_reason: Type.Optional(
    Type.Unsafe<WebhookDisabledReason>({
      type: 'string',
      enum: Object.keys(webhookDisabledReasons),
    }),
  ),
  failing_since: Type.Optional(time('the first failure since the last success.')),
  last_error: Type.Optional(Type.String()),
  previous_secret_ends_at: Type.Optional(time('until then, both secrets sign.')),
  created_at: time(),
  updated_at: time(),
});

export const webhookWithSecretAnswer = Type.Object({
  ...webhookAnswer.properties,
  secret: Type.String({ description: 'Signs the webhooks. It is not shown again.' }),
});

export const webhookListAnswer = Type.Object({ webhooks: Type.Array(webhookAnswer) });

const tryAnswer = Type.Object({
  at: time(),
  ms: Type.Integer({ description: 'Duration in milliseconds.' }),
  status: Type.Optional(Type.Integer({ description: 'Absent if there was no answer.' })),
  answer: Type.Optional(Type.String({ description: 'The first 1,024 bytes of the answer.' })),
  error: Type.Optional(Type.String({ description: 'Why the try failed.' })),
});

export const webhookDeliveryAnswer = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The header `webhook-id`.' }),
  type: Type.String(),
  outcome: Type.Unsafe<WebhookOutcome>({ type: 'string', enum: [...webhookOutcomes] }),
  occurred_at: time(),
  next_at: Type.Optional(time('the next try.')),
  tries: Type.Array(tryAnswer, { description: 'The last 20 tries, oldest first.' }),
  body: webhookEvent,
});

export const webhookDeliveryListAnswer = Type.Object({
  deliveries: Type.Array(webhookDeliveryAnswer, { description: 'Newest first.' }),
  next: Type.Optional(
    Type.String({ description: 'The `before` of the next page; absent on the last one.' }),
  ),
});

export const webhookExampleBody = Type.Object({ type: eventType });

/** The end of the year 9999. */
const latestTime = 253_402_300_799_999;

export const resendFailedWebhooksBody = Type.Object({
  since: Type.Integer({
    minimum: 0,
    maximum: latestTime,
    'x-problem': 'must be a time in Unix milliseconds',
    description: 'Unix milliseconds. Deliveries of events from then on are resent.',
  }),
});
export const resendFailedWebhooksAnswer = Type.Object({
  resent: Type.Integer({ description: 'How many deliveries are queued again.' }),
});

export function webhookToWire(endpoint: WebhookEndpoint): object {
  const { id, url, types, description, disabledAt, previousSecretEndsAt } = endpoint;
  return definedOnly({
    id,
    url,
    types,
    description,
    enabled: disabledAt === null,
    disabled_at: disabledAt?.getTime(),
    disabled_reason: endpoint.disabledReason ?? undefined,
    failing_since: endpoint.failingSince?.getTime(),
    last_error: endpoint.lastError ?? undefined,
    previous_secret_ends_at: previousSecretEndsAt?.getTime(),
    created_at: endpoint.createdAt.getTime(),
    updated_at: endpoint.updatedAt.getTime(),
  });
}

export function webhookDeliveryToWire(delivery: WebhookDelivery, body: WebhookEvent): object {
  const { id, type, outcome, occurredAt, nextAt, tries } = delivery;
  return definedOnly({
    ...{ id, type, outcome, occurred_at: occurredAt.getTime(), next_at: nextAt?.getTime() },
    ...{ tries, body },
  });
}
