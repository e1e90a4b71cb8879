import type { PrismaClient } from '@belfry/database';

export type ConfiguredIntegration = {
  id: string;
  appName: string;
  name: string;
  channel: string;
  provider: string;
  state: string;
  settings: Record<string, unknown>;
  /** Sealed JSON; see `integrationPlace`. */
  credentials: string;
};

/** Lists the integrations of all apps, oldest first. */
export async function listIntegrations(
  prisma: PrismaClient,
  limit: number,
): Promise<ConfiguredIntegration[]> {
  const rows = await prisma.integration.findMany({
    where: { deletedAt: null, app: { deletedAt: null } },
    orderBy: { id: 'asc' },
    take: limit,
    include: { app: { select: { name: true } } },
  });
  return rows.map(({ app, settings, ...row }) => ({
    ...row,
    appName: app.name,
    // Settings are objects by their provider's schema.
    settings: settings as Record<string, unknown>,
  }));
}
