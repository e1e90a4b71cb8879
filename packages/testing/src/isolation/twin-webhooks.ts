import { newId } from '@belfry/runtime';
import { testSecrets } from '../factories';
import type { Seed } from './twin-seed';

/** Inserted last, so that no trigger queues more deliveries. */
export function createWebhookRows(
  { tenant, mark, insert }: Seed,
  { requestId, messageId }: { requestId: string; messageId: string },
) {
  const app_id = tenant.appId;
  const [webhookEndpointId, webhookDeliveryId] = [newId(), newId()];
  insert('webhook_endpoint', {
    ...{ id: webhookEndpointId, app_id, url: `https://${mark}.example/`, types: ['message.sent'] },
    ...{ description: mark, last_error: mark },
    secrets: testSecrets().seal('["whsec_"]', `webhook_endpoint:${webhookEndpointId}:secrets`),
  });
  insert('webhook_delivery', {
    ...{ id: webhookDeliveryId, endpoint_id: webhookEndpointId, app_id, type: 'message.failed' },
    ...{ message_id: messageId, outcome: 'failed', next_at: null },
    data: { request_id: requestId, item: 0, channel: 'email', state: 'failed', mark },
    tries: JSON.stringify([{ at: 0, ms: 1, error: mark }]),
  });
  insert('webhook_completion', { request_id: requestId, app_id });
  return { webhookEndpointId, webhookDeliveryId };
}
