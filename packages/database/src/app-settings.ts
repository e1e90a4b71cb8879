import type { Queryable } from './transaction';

/** In which region an app reads phone numbers without country code; null for none. False where there is no such app. */
export async function setDefaultRegion(
  database: Queryable,
  appId: string,
  region: string | null,
): Promise<boolean> {
  const { rowCount } = await database.query(
    'UPDATE app SET default_region = $2 WHERE id = $1 AND deleted_at IS NULL',
    [appId, region],
  );
  return rowCount === 1;
}
