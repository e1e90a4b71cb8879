import type { Tenant } from '@belfry/testing';
import type { PathValues } from './routes.fixture';
import type { StoredGateway } from './stored-gateway.fixture';

/** An endpoint of the app and one of its deliveries, for the path of a webhook route. An app has at most 10 endpoints. */
export async function findWebhook(
  { call, database }: StoredGateway,
  { appId: app, apiKey }: Pick<Tenant, 'appId' | 'apiKey'>,
): Promise<PathValues> {
  const stored = await database.prisma.webhookEndpoint.findFirst({ where: { appId: app } });
  const post = { method: 'post', app, apiKey } as const;
  const body = { url: 'https://receiver.example/hooks' };
  const endpoint = stored ?? (await call({ ...post, path: '/webhooks', body })).body;
  const path = `/webhooks/${endpoint.id}/example`;
  const { body: delivery } = await call({ ...post, path, body: { type: 'message.failed' } });
  return { endpoint_id: endpoint.id, delivery_id: delivery.id };
}
