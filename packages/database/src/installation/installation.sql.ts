import { getSqlState, type Queryable } from '../transaction';
import type { DatabasePlace, StoredInstallation } from './judge-installation';
import type { PauseReason } from './pause-reasons';

type InstallationRow = {
  id: string;
  former_ids: string[];
  system_id: string | null;
  table_id: string | null;
  timeline: string | null;
  checked_at: Date | null;
  paused_at: Date | null;
  pause_reason: string | null;
};

/** The stored row; undefined before the first start. */
export async function readInstallation(pool: Queryable): Promise<StoredInstallation | undefined> {
  const { rows } = await pool.query<InstallationRow>(
    `SELECT id, former_ids, system_id, table_id, timeline, checked_at, paused_at, pause_reason
     FROM installation`,
  );
  return rows[0] && toInstallation(rows[0]);
}

function toInstallation(row: InstallationRow): StoredInstallation {
  return {
    id: row.id,
    formerIds: row.former_ids,
    systemId: row.system_id,
    tableId: row.table_id,
    timeline: row.timeline,
    checkedAt: row.checked_at,
    pausedAt: row.paused_at,
    // Only pauseInstallation writes it.
    pauseReason: row.pause_reason as PauseReason | null,
  };
}

/** Creates the row, unless another process did. */
export async function createInstallation(pool: Queryable, id: string): Promise<void> {
  await pool.query('INSERT INTO installation (id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
}

type PlaceRow = { table_id: string };
type ServerRow = { system_id: string; timeline: string };

/** Where the database is now. */
export async function readPlace(pool: Queryable): Promise<DatabasePlace> {
  const { rows } = await pool.query<PlaceRow>(
    `SELECT format('%s/%s', d.oid, 'installation'::regclass::oid) AS table_id
     FROM pg_database d WHERE d.datname = current_database()`,
  );
  const [place] = rows;
  if (!place) throw new Error('PostgreSQL does not list the database');
  const server = await readServerIds(pool);
  return {
    systemId: server?.system_id ?? null,
    tableId: place.table_id,
    timeline: server?.timeline ?? null,
  };
}

/** Not supported, no right, no such function: of services that are only like PostgreSQL. */
const untold: ReadonlySet<string> = new Set(['0A000', '42501', '42883']);

async function readServerIds(pool: Queryable): Promise<ServerRow | undefined> {
  try {
    const { rows } = await pool.query<ServerRow>(
      `SELECT system_identifier::text AS system_id,
              left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline
       FROM pg_control_system()`,
    );
    return rows[0];
  } catch (error) {
    if (untold.has(getSqlState(error) ?? '')) return undefined;
    throw error;
  }
}

type InstallationCheck = { id: string; place: DatabasePlace };

/**
 * Records that the installation may send. Returns the time, or undefined if another process just did, the row changed or
 * sending is paused.
 */
export async function recordCheck(
  pool: Queryable,
  { id, place }: InstallationCheck,
): Promise<Date | undefined> {
  const { rows } = await pool.query<{ checked_at: Date | null }>(
    // Never back, even if the clock of a promoted server is behind: an older time would look like a restored backup.
    `UPDATE installation SET checked_at = greatest(checked_at, now()), system_id = coalesce($2, system_id),
       table_id = $3, timeline = coalesce($4, timeline)
     WHERE id = $1 AND paused_at IS NULL AND (
       checked_at IS NULL OR checked_at < now() - interval '4 seconds'
       OR timeline IS DISTINCT FROM coalesce($4, timeline))
     RETURNING checked_at`,
    [id, place.systemId, place.tableId, place.timeline],
  );
  return rows[0]?.checked_at ?? undefined;
}

/** Pauses sending, unless it is paused or another process confirmed the installation. Returns whether it did. */
export async function pauseInstallation(
  pool: Queryable,
  id: string,
  reason: PauseReason,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE installation SET paused_at = now(), pause_reason = $2 WHERE id = $1 AND paused_at IS NULL`,
    [id, reason],
  );
  return rowCount === 1;
}

type NewIdentity = {
  formerIds: string[];
  newId: string;
  place: DatabasePlace;
};

/** Gives the installation a new ID and its present place, and ends the pause. Returns the time of the check. */
export async function renewInstallation(
  client: Queryable,
  { formerIds, newId, place }: NewIdentity,
): Promise<Date> {
  const { rows } = await client.query<{ checked_at: Date | null }>(
    `UPDATE installation SET id = $1, former_ids = $2::uuid[], system_id = $3, table_id = $4, timeline = $5,
       checked_at = greatest(checked_at, now()), paused_at = NULL, pause_reason = NULL
     RETURNING checked_at`,
    [newId, formerIds, place.systemId, place.tableId, place.timeline],
  );
  const checkedAt = rows[0]?.checked_at;
  if (!checkedAt) throw new Error('The installation has no row');
  return checkedAt;
}

/** The accounts, each of which gets an audit entry about the whole installation. */
export async function listAccountIds(client: Queryable): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM account ORDER BY id');
  return rows.map(({ id }) => id);
}
