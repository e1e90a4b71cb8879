import type { PrismaClient, Queryable } from '@belfry/database';

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

/** Whether a live event of an app with live delivery sends mail that people can unsubscribe from. */
export async function sendsOptionalMail(database: Queryable): Promise<boolean> {
  const { rows } = await database.query<{ exists: boolean }>(
    `SELECT EXISTS (
       SELECT FROM app a JOIN event e ON e.app_id = a.id JOIN event_version v ON v.id = e.live_version_id
       WHERE a.delivery = 'live' AND a.deleted_at IS NULL AND e.deleted_at IS NULL
         AND v.definition ->> 'kind' = 'optional' AND v.definition -> 'channels' ? 'email') AS exists`,
  );
  return rows[0]?.exists === true;
}
