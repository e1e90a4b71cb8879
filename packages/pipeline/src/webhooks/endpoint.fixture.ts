import type { Database } from '@belfry/database';
import type { WebhookType } from '@belfry/shared';
import { createFactories, type Tenant } from '@belfry/testing';

export type TestEndpoint = { id: string; secret: string };

/** An endpoint of the app that gets these types, or all. */
export function createEndpoint(
  database: Database,
  tenant: Pick<Tenant, 'accountId' | 'appId'>,
  { url = 'https://receiver.example/hooks', ...rest }: { url?: string; types?: WebhookType[] } = {},
): Promise<TestEndpoint> {
  return createFactories(database).createWebhookEndpoint(tenant, { url, ...rest });
}

/** The deliveries of an endpoint, oldest first. */
export function readDeliveries({ prisma }: Database, endpointId: string) {
  return prisma.webhookDelivery.findMany({ where: { endpointId }, orderBy: { id: 'asc' } });
}
