import type { Queryable } from '@belfry/database';
import { type Actor, changeWithAudit } from '@belfry/database';
import type pg from 'pg';

type AppChannel = { appId: string; channel: string };

export async function pauseChannel(
  pool: pg.Pool,
  actor: Actor,
  { appId, channel }: AppChannel,
): Promise<void> {
  const entry = { action: 'channel.paused', subject: channel };
  await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    await lockApp(client, appId);
    const { rows } = await client.query<{ channel: string }>(
      `INSERT INTO channel_pause (app_id, channel, paused_by) VALUES ($1, $2, $3)
       ON CONFLICT (app_id, channel) DO UPDATE SET is_own = true, paused_by = excluded.paused_by, paused_at = now()
       WHERE NOT channel_pause.is_own RETURNING channel`,
      [appId, channel, actor.operatorId],
    );
    return rows[0];
  });
}

/** If all sending is paused, the channel resumes only together with it. */
export async function resumeChannel(
  pool: pg.Pool,
  actor: Actor,
  { appId, channel }: AppChannel,
): Promise<void> {
  const entry = { action: 'channel.resumed', subject: channel };
  await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    await lockApp(client, appId);
    const { rows: remainingRows } = await client.query<{ channel: string }>(
      `UPDATE channel_pause SET is_own = false
       WHERE app_id = $1 AND channel = $2 AND is_own AND EXISTS (SELECT 1 FROM sending_pause WHERE app_id = $1)
       RETURNING channel`,
      [appId, channel],
    );
    if (remainingRows[0]) return remainingRows[0];
    const { rows } = await client.query<{ channel: string }>(
      'DELETE FROM channel_pause WHERE app_id = $1 AND channel = $2 AND is_own RETURNING channel',
      [appId, channel],
    );
    if (rows[0]) await wake(client, appId, [channel]);
    return rows[0];
  });
}

export async function pauseSending(
  pool: pg.Pool,
  actor: Actor,
  { appId, channels }: { appId: string; channels: readonly string[] },
): Promise<void> {
  const entry = { action: 'sending.paused', subject: appId };
  await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    await lockApp(client, appId);
    const { rows } = await client.query<{ appId: string }>(
      `INSERT INTO sending_pause (app_id, paused_by) VALUES ($1, $2)
       ON CONFLICT DO NOTHING RETURNING app_id AS "appId"`,
      [appId, actor.operatorId],
    );
    if (!rows[0]) return undefined;
    await client.query(
      `INSERT INTO channel_pause (app_id, channel, paused_by, is_own)
       SELECT $1, channel, $2, false FROM unnest($3::text[]) c (channel) ON CONFLICT DO NOTHING`,
      [appId, actor.operatorId, channels],
    );
    return rows[0];
  });
}

export async function resumeSending(pool: pg.Pool, actor: Actor, appId: string): Promise<void> {
  const entry = { action: 'sending.resumed', subject: appId };
  await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    await lockApp(client, appId);
    const { rows } = await client.query<{ appId: string }>(
      'DELETE FROM sending_pause WHERE app_id = $1 RETURNING app_id AS "appId"',
      [appId],
    );
    if (!rows[0]) return undefined;
    const freed = await client.query<{ channel: string }>(
      'DELETE FROM channel_pause WHERE app_id = $1 AND NOT is_own RETURNING channel',
      [appId],
    );
    await wake(
      client,
      appId,
      freed.rows.map(({ channel }) => channel),
    );
    return rows[0];
  });
}

/** Serializes changes, so that the second of two sees the first. */
async function lockApp(client: Queryable, appId: string): Promise<void> {
  await client.query('SELECT 1 FROM app WHERE id = $1 FOR NO KEY UPDATE', [appId]);
}

/** Maximum messages of a channel to resume at once; the others resume at their next check within seconds. */
const wokenAtOnce = 5_000;

async function wake(client: Queryable, appId: string, channels: string[]): Promise<void> {
  await client.query(
    `UPDATE message SET due_at = now(), waits = NULL WHERE id IN (
       SELECT w.id FROM unnest($1::text[]) c (channel) CROSS JOIN LATERAL (
         SELECT id FROM message
         WHERE channel = c.channel AND app_id = $2 AND waiting_at IS NOT NULL
           AND state = 'queued' AND waits = 'paused'
         LIMIT ${wokenAtOnce}) w)`,
    [channels, appId],
  );
}
