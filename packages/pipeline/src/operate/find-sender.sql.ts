import type { Queryable } from '@belfry/database';

/** The app of a message and the integration of its last attempt; undefined if it was not sent by one. */
export async function findSender(
  pool: Queryable,
  messageId: string,
): Promise<{ appId: string; id: string } | undefined> {
  const { rows } = await pool.query<{ appId: string; id: string }>({
    name: 'find-sender',
    text: `SELECT m.app_id AS "appId", a.integration_id AS id FROM message m JOIN attempt a ON a.message_id = m.id
           WHERE m.id = $1 AND a.integration_id IS NOT NULL ORDER BY a.number DESC LIMIT 1`,
    values: [messageId],
  });
  return rows[0];
}
