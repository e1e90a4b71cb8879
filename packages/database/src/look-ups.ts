import type { VersionDefinition } from '@belfry/shared';
import type { PrismaClient } from './generated/client';

export type AppRow = {
  id: string;
  accountId: string;
  name: string;
  delivery: 'sandbox' | 'live';
  /** Whether an inbox's count is told, and its opening noted, without a signature. */
  openInboxCounters: boolean;
};

export type ApiKeyRow = { id: string; accountId: string; secretHash: Buffer };

/** See `apiKeyPlace`. */
export type SealedApiKey = { id: string; sealed: string };

export type EventRow = {
  id: string;
  appId: string;
  name: string;
  /** Undefined while the event is a draft. */
  liveVersionId: string | undefined;
};

export type VersionRow = { id: string; eventId: string; definition: VersionDefinition };

export type IntegrationRow = {
  id: string;
  appId: string;
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  /** Sealed JSON; see `integrationPlace`. */
  credentials: string;
  state: 'active' | 'needs_attention' | 'paused';
  updatedAt: Date;
};

export type UserRow = { id: string; userId: string; contact: Record<string, unknown> };

/** Where an integration's credentials are sealed to. */
export function integrationPlace(integrationId: string): string {
  return `integration:${integrationId}:credentials`;
}

/** Where the Slack token of a request's item is sealed to. */
export function itemTokenPlace(requestId: string, item: number): string {
  return `request_item:${requestId}:${item}:slack.access_token`;
}

/** Where the Slack token of a stored user is sealed to. */
export function userTokenPlace(userSid: string): string {
  return `app_user:${userSid}:slack.access_token`;
}

/** Where an API key is sealed to, for showing it again. */
export function apiKeyPlace(id: string): string {
  return `api_key:${id}`;
}

/** Two may be active at once; a few more may be about to expire. */
const maxKeysOfAccount = 10;

/** Questions with one answer. Those by id answer undefined for what is no UUID's row. */
export function createLookUps(prisma: PrismaClient) {
  return {
    async findApiKey(id: string): Promise<ApiKeyRow | undefined> {
      const row = await prisma.apiKey.findUnique({ where: { id } });
      const isActive = row && !row.revokedAt && (!row.expiresAt || row.expiresAt > new Date());
      if (!isActive) return undefined;
      return { id: row.id, accountId: row.accountId, secretHash: Buffer.from(row.secretHash) };
    },

    /** The account's keys that may be used now, as they are sealed. */
    async findSealedKeys(accountId: string): Promise<SealedApiKey[]> {
      return prisma.apiKey.findMany({
        where: {
          accountId,
          revokedAt: null,
          OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
        },
        orderBy: { createdAt: 'desc' },
        take: maxKeysOfAccount,
        select: { id: true, sealed: true },
      });
    },

    async findApp(id: string): Promise<AppRow | undefined> {
      const row = await prisma.app.findUnique({ where: { id } });
      if (!row || row.deletedAt) return undefined;
      const { accountId, name, openInboxCounters } = row;
      const delivery = row.delivery === 'live' ? 'live' : 'sandbox';
      return { id, accountId, name, delivery, openInboxCounters };
    },

    async findEvent(appId: string, name: string): Promise<EventRow | undefined> {
      const row = await prisma.event.findFirst({ where: { appId, name, deletedAt: null } });
      return row
        ? { id: row.id, appId, name, liveVersionId: row.liveVersionId ?? undefined }
        : undefined;
    },

    async findVersion(id: string): Promise<VersionRow | undefined> {
      const row = await prisma.eventVersion.findUnique({ where: { id } });
      // A definition is checked when it is published, and never changes.
      return row
        ? { id, eventId: row.eventId, definition: row.definition as VersionDefinition }
        : undefined;
    },

    async findIntegration(id: string): Promise<IntegrationRow | undefined> {
      const row = await prisma.integration.findUnique({ where: { id } });
      if (!row || row.deletedAt) return undefined;
      const { appId, name, channel, provider, credentials, updatedAt } = row;
      // Settings are objects by their provider's schema; the state is a closed list by a constraint.
      const settings = row.settings as Record<string, unknown>;
      const state = row.state as IntegrationRow['state'];
      return { id, appId, name, channel, provider, settings, credentials, state, updatedAt };
    },

    async findUser(appId: string, userId: string): Promise<UserRow | undefined> {
      const row = await prisma.user.findUnique({ where: { appId_userId: { appId, userId } } });
      // `contact` is an object by its default and by the schema of the route that writes it.
      return row
        ? { id: row.id, userId, contact: row.contact as Record<string, unknown> }
        : undefined;
    },

    /** Those of the users that are stored, by `userId`. */
    async findUsers(appId: string, userIds: string[]): Promise<Map<string, UserRow>> {
      const rows = await prisma.user.findMany({ where: { appId, userId: { in: userIds } } });
      return new Map(
        rows.map((row) => [
          row.userId,
          { id: row.id, userId: row.userId, contact: row.contact as Record<string, unknown> },
        ]),
      );
    },
  };
}

export type LookUps = ReturnType<typeof createLookUps>;
