import type { Queryable } from '@belfry/database';
import type { WebhookType } from '@belfry/shared';

export type QueuedWebhook = {
  appId: string;
  type: WebhookType;
  /** The members of the type's schema, without `app_id`. Never an address or content. */
  data: Record<string, unknown>;
};

/** Queues a webhook for each endpoint that wants it, in the caller's transaction. Triggers queue those about rows. */
export async function queueWebhook(
  client: Queryable,
  { appId, type, data }: QueuedWebhook,
): Promise<void> {
  await client.query('SELECT queue_webhooks($1, $2, NULL, $3)', [
    appId,
    type,
    JSON.stringify(data),
  ]);
}
