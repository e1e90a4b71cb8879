import { addressKey } from '@belfry/database';
import type pg from 'pg';

export type PermissionQuery = { channel: string; target: string; sender: string };

/** What a claim would find. */
export type Permission = { isSuppressed: boolean; isChannelPaused: boolean };

/** Whether an app may write to targets, one answer for each. Changes nothing. */
export async function readPermissions(
  pool: pg.Pool,
  appId: string,
  queries: PermissionQuery[],
): Promise<Permission[]> {
  const { rows } = await pool.query<Permission>({
    name: 'read-permissions',
    text: `SELECT
             EXISTS (SELECT 1 FROM suppression s WHERE s.app_id = $1 AND s.channel = t.channel AND s.recipient = ${addressKey('t.channel', 't.target')}
               AND s.sender IN ('', t.sender)) AS "isSuppressed",
             EXISTS (SELECT 1 FROM channel_pause p WHERE p.app_id = $1 AND p.channel = t.channel) AS "isChannelPaused"
           FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY t (channel, target, sender, place)
           ORDER BY t.place`,
    values: [
      appId,
      queries.map(({ channel }) => channel),
      queries.map(({ target }) => target),
      queries.map(({ sender }) => sender),
    ],
  });
  return rows;
}
