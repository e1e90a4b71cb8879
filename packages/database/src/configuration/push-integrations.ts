import type pg from 'pg';
import { type IntegrationRow, integrationColumns } from '../look-ups';

/** The integration of an app for a provider of the channel push: an active one first, then the oldest. */
export async function findPushIntegration(
  pool: pg.Pool,
  appId: string,
  provider: 'web_push' | 'fcm',
): Promise<IntegrationRow | undefined> {
  const { rows } = await pool.query<IntegrationRow>({
    name: 'find-push-integration',
    text: `SELECT ${integrationColumns}
           FROM integration WHERE app_id = $1 AND channel = 'push' AND provider = $2 AND deleted_at IS NULL
           ORDER BY state <> 'active', created_at LIMIT 1`,
    values: [appId, provider],
  });
  return rows[0];
}
