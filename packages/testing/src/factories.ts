import { createConfiguration, type Database } from '@belfry/database';
import { createSecrets, newId, type Secrets } from '@belfry/runtime';
import { defaultPolicy, type Policy, type VersionDefinition } from '@belfry/shared';

/** A test's own account: the test may assert on the rows of no other account. */
export type Tenant = { accountId: string; apiKey: string; apiKeyId: string; appId: string };

export type Factories = {
  createTenant(options?: {
    delivery?: 'sandbox' | 'live';
    defaultRegion?: string;
  }): Promise<Tenant>;
  /** A live event. */
  createEvent(
    tenant: Tenant,
    channels: VersionDefinition['channels'],
    options?: Partial<Omit<VersionDefinition, 'channels'>> & { name?: string },
  ): Promise<{ name: string; eventId: string; versionId: string }>;
  createIntegration(
    tenant: Tenant,
    integration: {
      channel: string;
      provider: string;
      settings?: Record<string, unknown>;
      credentials?: Record<string, unknown>;
    },
  ): Promise<{ id: string }>;
};

export function createFactories(
  database: Pick<Database, 'prisma'>,
  secrets: Secrets = testSecrets(),
): Factories {
  const configuration = createConfiguration(database.prisma, secrets);
  return {
    async createTenant({ delivery = 'sandbox', ...settings } = {}) {
      const account = await configuration.createAccount('Test account');
      const { id: apiKeyId, key } = await configuration.createApiKey(account.id);
      const app = await configuration.createApp({
        accountId: account.id,
        name: 'Test app',
        delivery,
        ...settings,
      });
      return { accountId: account.id, apiKey: key, apiKeyId, appId: app.id };
    },
    async createEvent({ appId }, channels, { name = `event_${newId()}`, ...options } = {}) {
      const event = await configuration.createEvent({ appId, name });
      const version = await configuration.publish(
        { id: event.id, appId },
        { channels, ...options },
      );
      return { name, eventId: event.id, versionId: version.id };
    },
    createIntegration: ({ appId }, { channel, provider, settings = {}, credentials = {} }) =>
      configuration.createIntegration({
        appId,
        name: `${provider}_${newId()}`,
        channel,
        provider,
        settings,
        credentials,
      }),
  };
}

/** One channel of a version, with a template in the default language. */
export function channelVersion(
  template: unknown,
  options: { integrationIds?: string[]; policy?: Partial<Policy> } = {},
): VersionDefinition['channels'][string] {
  return {
    integrationIds: options.integrationIds ?? [],
    templates: { en: template },
    policy: { ...defaultPolicy, ...options.policy },
  };
}

export const testKeyRing = `test:${Buffer.alloc(32, 7).toString('base64')}`;

export function testSecrets(): Secrets {
  return createSecrets(testKeyRing);
}
