import { maskTarget, type WebhookEvent } from '@belfry/shared';

/** A delivery, with the rows of its event. */
export type WebhookSource = {
  type: string;
  appId: string;
  occurredAt: Date;
  /** Stored with the change that the webhook reports. */
  data: Record<string, unknown>;
  /** Read from the rows of the event with each try; null if they are gone. See `selectWebhookFacts`. */
  facts: WebhookFacts | null;
};

/** Null members are absent from the body. */
export type WebhookFacts = Record<string, unknown> & {
  /** The address, unmasked. */
  target?: string | null;
  is_sensitive?: boolean | null;
  metadata?: Record<string, string> | null;
  /** For the header of the same name, not for the body. */
  traceparent?: string | null;
};

/** Receivers need not accept more. */
export const maxWebhookBytes = 20_000;

/** Builds the body of a webhook. A sensitive event has only IDs, state and reason. */
export function buildWebhookEvent({
  type,
  appId,
  occurredAt,
  data,
  facts,
}: WebhookSource): WebhookEvent {
  const { is_sensitive: isSensitive, target, metadata, traceparent: _, ...ids } = facts ?? {};
  const masked = target ? maskTarget(String(data['channel']), target) : undefined;
  const described = isSensitive ? {} : { target: masked, metadata };
  const event = {
    type,
    timestamp: occurredAt.toISOString(),
    data: { app_id: appId, ...data, ...withoutNulls({ ...ids, ...described }) },
  };
  // Safe cast: the triggers and `selectWebhookFacts` write the members of the type's schema; a test compares them.
  return withinLimit(event) as WebhookEvent;
}

function withoutNulls(members: Record<string, unknown>): Record<string, unknown> {
  const isSet = ([, value]: [string, unknown]) => value !== null && value !== undefined;
  return Object.fromEntries(Object.entries(members).filter(isSet));
}

type Event = { type: string; timestamp: string; data: Record<string, unknown> };

/** Only the caller's metadata can be long. */
function withinLimit(event: Event): Event {
  if (Buffer.byteLength(JSON.stringify(event)) <= maxWebhookBytes) return event;
  const { metadata: _, ...data } = event.data;
  return { ...event, data: { ...data, metadata_omitted: true } };
}
