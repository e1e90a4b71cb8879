import type pg from 'pg';

/**
 * Whether the time of message `m` has come. `due_at` is rounded to milliseconds, up to half of one into the future, and so
 * must the time be that it is compared with: a message that was just written is due.
 */
export const isDue = (m: string) => `${m}.due_at <= now()::timestamptz(3)`;

/** Fields of a queued message that rate limits need. */
export type WaitingFacts = {
  target: string;
  isBulk: boolean;
  /** Whether it waited for a rate limit before. */
  hasWaited: boolean;
};

/** Returns one result for each id, in order; undefined for a message that is no longer queued. */
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
