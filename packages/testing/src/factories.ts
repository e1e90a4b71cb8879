import {
  createAccount,
  createAccountKeys,
  createAppEvents,
  createAppIntegrations,
  createCategories,
  createInboxSecrets,
  createSystemActor,
  createWebhookEndpoints,
  type Database,
  inTransaction,
  sealCredentials,
} from '@belfry/database';
import { createSecrets, newId, type Secrets } from '@belfry/runtime';
import {
  defaultPolicy,
  type Policy,
  type VersionDefinition,
  type WebhookType,
  webhookTypeNames,
} from '@belfry/shared';

/** A test's own account: the test may assert on the rows of no other account. */
export type Tenant = { accountId: string; apiKey: string; apiKeyId: string; appId: string };

type TenantApp = Pick<Tenant, 'accountId' | 'appId'>;

export type Factories = {
  createTenant(options?: {
    delivery?: 'sandbox' | 'live';
    defaultRegion?: string;
  }): Promise<Tenant>;
  /** The second key of an account; a third one is refused. */
  createApiKey(tenant: Pick<Tenant, 'accountId'>): Promise<{ id: string; key: string }>;
  /** A secret that signs tokens of inbox readers. */
  createInboxSecret(tenant: TenantApp): Promise<{ id: string; secret: string }>;
  /** A live event. */
  createEvent(
    tenant: TenantApp,
    channels: VersionDefinition['channels'],
    options?: Partial<Omit<VersionDefinition, 'channels'>> & { name?: string },
  ): Promise<{ name: string; eventId: string; versionId: string }>;
  createCategory(tenant: TenantApp, slug: string): Promise<void>;
  /** An event that was never published. */
  createDraft(tenant: TenantApp, name: string): Promise<{ eventId: string }>;
  createIntegration(
    tenant: TenantApp,
    integration: {
      name?: string;
      channel: string;
      provider: string;
      settings?: Record<string, unknown>;
      credentials?: Record<string, unknown>;
    },
  ): Promise<{ id: string }>;
  /** An endpoint that gets these types, or all. */
  createWebhookEndpoint(
    tenant: TenantApp,
    endpoint: { url: string; types?: WebhookType[] },
  ): Promise<{ id: string; secret: string }>;
};

/** Rows are created by the functions that the dashboard and the command line call. */
export function createFactories(
  { lookUps: pool }: Pick<Database, 'lookUps'>,
  secrets: Secrets = testSecrets(),
): Factories {
  const keys = createAccountKeys(pool, secrets);
  const events = createAppEvents(pool);
  const categories = createCategories(pool);
  const inboxSecrets = createInboxSecrets(pool, secrets);
  const integrations = createAppIntegrations(pool);
  const endpoints = createWebhookEndpoints({ pool, secrets });

  async function createDraft({ accountId, appId }: TenantApp, name: string) {
    const id = await events.create(createSystemActor(accountId), appId, name);
    return { eventId: present(id, `The event name ${name} is taken`) };
  }

  return {
    createTenant: ({ delivery = 'sandbox', ...settings } = {}) =>
      createAccount(pool, secrets, {
        name: 'Test account',
        app: { name: 'Test app', delivery, ...settings },
      }),

    async createApiKey({ accountId }) {
      return present(await keys.create(createSystemActor(accountId)), 'Two keys are active');
    },

    async createInboxSecret({ accountId, appId }) {
      const actor = { ...createSystemActor(accountId), appId };
      return present(await inboxSecrets.create(actor), 'Two secrets are active');
    },

    async createEvent(tenant, channels, { name = `event_${newId()}`, ...options } = {}) {
      const { eventId } = await createDraft(tenant, name);
      const actor = createSystemActor(tenant.accountId);
      const definition = { channels, ...options };
      const version = await events.publishDefinition(actor, tenant.appId, { eventId, definition });
      return { name, eventId, versionId: present(version, 'The event was removed').id };
    },

    createDraft,

    async createCategory({ accountId, appId }, slug) {
      const texts = { en: { name: slug, description: '' } };
      const actor = createSystemActor(accountId);
      const created = await categories.create(actor, appId, { slug, texts });
      if (created !== 'created') throw new Error(`The category ${slug} is ${created}`);
    },

    async createIntegration({ accountId, appId }, { settings = {}, credentials = {}, ...rest }) {
      const id = await integrations.create(createSystemActor(accountId), appId, {
        name: `${rest.provider}_${newId()}`,
        ...rest,
        settings,
        seal: (integrationId) => sealCredentials(integrationId, credentials, secrets),
      });
      return { id: present(id, 'The integration name is taken') };
    },

    async createWebhookEndpoint({ accountId, appId }, { url, types = webhookTypeNames }) {
      const actor = { ...createSystemActor(accountId), appId };
      const created = await inTransaction(pool, (client) =>
        endpoints.create(client, actor, { url, types, description: '' }),
      );
      if (created === 'full') throw new Error('The app has too many endpoints');
      return { id: created.endpoint.id, secret: created.secret };
    },
  };
}

function present<T>(value: T | undefined, problem: string): T {
  if (value === undefined) throw new Error(problem);
  return value;
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
