import type pg from 'pg';

export type Heartbeat = {
  /** `<host>:<pid>`, as in the attempts of the worker. */
  id: string;
  roles: string[];
  version: string;
  isFirst: boolean;
};

/** All times come from PostgreSQL's clock. */
export async function writeHeartbeat(pool: pg.Pool, heartbeat: Heartbeat): Promise<void> {
  await pool.query({
    name: 'write-heartbeat',
    text: `INSERT INTO worker_heartbeat AS w (id, roles, version, started_at) VALUES ($1, $2, $3, now())
           ON CONFLICT (id) DO UPDATE SET
             roles = excluded.roles, version = excluded.version, heartbeat_at = now(),
             started_at = CASE WHEN $4 THEN now() ELSE w.started_at END`,
    values: [heartbeat.id, heartbeat.roles, heartbeat.version, heartbeat.isFirst],
  });
}

export async function removeHeartbeat(pool: pg.Pool, id: string): Promise<void> {
  await pool.query('DELETE FROM worker_heartbeat WHERE id = $1', [id]);
}

export type WorkerHeartbeat = {
  id: string;
  roles: string[];
  version: string;
  heartbeatSeconds: number;
};

/** All stored workers, with the seconds since their last heartbeat. */
export async function listHeartbeats(pool: pg.Pool): Promise<WorkerHeartbeat[]> {
  const { rows } = await pool.query<WorkerHeartbeat>(
    `SELECT id, roles, version, extract(epoch FROM now() - heartbeat_at)::float8 AS "heartbeatSeconds"
     FROM worker_heartbeat ORDER BY id`,
  );
  return rows;
}
