import type pg from 'pg';

/** What a provider's limits ask of a message that waits. */
export type WaitingFacts = {
  target: string;
  isBulk: boolean;
  /** For a limit, before. */
  hasWaited: boolean;
};

/** One answer an id; undefined for what is not queued any more. */
export async function readWaitingFacts(
  pool: pg.Pool,
  ids: string[],
): Promise<(WaitingFacts | undefined)[]> {
  const { rows } = await pool.query<WaitingFacts & { id: string }>({
    name: 'read-waiting-facts',
    text: `SELECT id, target, is_bulk AS "isBulk", waits IS NOT DISTINCT FROM 'limit' AS "hasWaited"
           FROM message WHERE id = ANY ($1::uuid[]) AND state = 'queued'`,
    values: [ids],
  });
  const byId = new Map(rows.map(({ id, ...facts }) => [id, facts]));
  return ids.map((id) => byId.get(id));
}
