import { newId, type Secrets } from '@belfry/runtime';
import { completeDefinition, createApiKey, type VersionInput } from '@belfry/shared';
import type { PrismaClient } from './generated/client';
import { apiKeyPlace, integrationPlace } from './look-ups';

export type NewIntegration = {
  appId: string;
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
};

/** What operators set up: accounts, keys, apps, integrations, events and their versions. */
export function createConfiguration(prisma: PrismaClient, secrets: Secrets) {
  return {
    async createAccount(name: string): Promise<{ id: string }> {
      const id = newId();
      await prisma.account.create({ data: { id, name } });
      return { id };
    },

    /** The key is returned in clear once; it is stored hashed, and sealed for showing it again. */
    async createApiKey(accountId: string): Promise<{ id: string; key: string }> {
      const { id, key, secretHash } = createApiKey();
      const sealed = secrets.seal(key, apiKeyPlace(id));
      await prisma.apiKey.create({
        data: { id, accountId, secretHash: new Uint8Array(secretHash), sealed },
      });
      return { id, key };
    },

    async createApp(app: {
      accountId: string;
      name: string;
      delivery: 'sandbox' | 'live';
      defaultRegion?: string;
    }): Promise<{ id: string }> {
      const id = newId();
      await prisma.app.create({ data: { id, ...app } });
      return { id };
    },

    async createIntegration(integration: NewIntegration): Promise<{ id: string }> {
      const id = newId();
      const { appId, name, channel, provider, settings, credentials } = integration;
      const sealed = secrets.seal(JSON.stringify(credentials), integrationPlace(id));
      await prisma.integration.create({
        data: {
          id,
          appId,
          name,
          channel,
          provider,
          // Checked against the provider's schema, which describes plain JSON.
          settings: settings as object,
          credentials: sealed,
        },
      });
      return { id };
    },

    /** A new event is a draft: it has no live version. */
    async createEvent(event: { appId: string; name: string }): Promise<{ id: string }> {
      const id = newId();
      await prisma.event.create({ data: { id, ...event } });
      return { id };
    },

    publish: (event: EventOfApp, definition: VersionInput) =>
      publishVersion(prisma, event, definition),
  };
}

export type Configuration = ReturnType<typeof createConfiguration>;

type EventOfApp = { id: string; appId: string };

/** The definition, with defaults for what it leaves out, becomes the event's next version and its live one. */
async function publishVersion(
  prisma: PrismaClient,
  { id: eventId, appId }: EventOfApp,
  input: VersionInput,
): Promise<{ id: string; number: number }> {
  const id = newId();
  const definition = completeDefinition(input);
  return prisma.$transaction(async (tx) => {
    // The event's row is the lock that gives each version its own number.
    await tx.$queryRaw`SELECT 1 FROM event WHERE id = ${eventId}::uuid FOR UPDATE`;
    const last = await tx.eventVersion.aggregate({ where: { eventId }, _max: { number: true } });
    const number = (last._max.number ?? 0) + 1;
    await tx.eventVersion.create({
      data: { id, eventId, appId, number, kind: 'live', definition: definition as object },
    });
    await tx.event.update({ where: { id: eventId }, data: { liveVersionId: id } });
    return { id, number };
  });
}
