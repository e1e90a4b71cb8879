import { hash } from 'node:crypto';
import type { Reply } from '@belfry/channels';
import { inTransaction, type Queryable, storable } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { suppressionSources } from '@belfry/shared';
import type pg from 'pg';
import { plainSender } from '../deliver/eligibility.sql';

/** Replies to the integration of an app, in a channel's canonical form. */
export type NewReplies = { appId: string; channel: string; replies: readonly Reply[] };

/** Whether each reply counted, in order: a repeated one, or one older than the last, changes nothing. */
export type ReplyEffect = { counts: boolean };

/**
 * Suppresses each address that sent a stop, for optional events and for that sender, and undoes this for a start. Any other
 * suppression stays.
 */
export async function storeReplies(
  pool: pg.Pool,
  { appId, channel, replies }: NewReplies,
): Promise<ReplyEffect[]> {
  const effects: ReplyEffect[] = [];
  for (const reply of replies) {
    const counts = await inTransaction(pool, (client) => apply(client, { appId, channel, reply }));
    effects.push({ counts });
  }
  return effects;
}

type OneReply = { appId: string; channel: string; reply: Reply };

/** Two statements: the first locks the row, so the second sees what a concurrent call has written. */
async function apply(client: Queryable, one: OneReply): Promise<boolean> {
  const { appId, channel, reply } = one;
  const { wish, address, at } = reply;
  const sender = storable(reply.sender) ?? '';
  const subject = hashTexts([channel, address, sender]);
  const { rowCount } = await client.query(remember, [
    ...[appId, subject, wish, at ?? null],
    ...[hashTexts([channel, reply.identity])],
  ]);
  if (!rowCount) return false;
  const place = [appId, channel, address, sender];
  if (wish === 'start') await client.query(liftStop, place);
  else await client.query(stop, [...place, newId(), means, scope]);
  return true;
}

const { means, scope } = suppressionSources.reply;

function hashTexts(texts: readonly string[]): Buffer {
  return hash('sha256', JSON.stringify(texts), 'buffer');
}

/** More than a person sends while a provider still repeats a call. */
const keptIdentities = 20;

/** A clock of the provider that is ahead must not make later replies look old. */
const remember = `
INSERT INTO reply AS r (app_id, subject, wish, replied_at, identities)
VALUES ($1, $2, $3, least($4::timestamptz, now()), ARRAY[$5::bytea])
ON CONFLICT (app_id, subject) DO UPDATE SET wish = excluded.wish, replied_at = excluded.replied_at,
  identities = (excluded.identities || r.identities)[1:${keptIdentities}]
WHERE excluded.replied_at >= r.replied_at AND NOT r.identities @> excluded.identities`;

/** An earlier suppression stays, and with it its source: a start does not undo it. */
const stop = `
INSERT INTO suppression (id, app_id, channel, recipient, sender, reason, detail, source, scope)
VALUES ($5, $1, $2, $3, $4, 'opted_out', $6, 'reply', $7)
ON CONFLICT (app_id, channel, recipient, sender) DO NOTHING`;

/** The sender may be spelled differently than when the stop came. */
const liftStop = `
DELETE FROM suppression s WHERE s.app_id = $1 AND s.channel = $2 AND s.recipient = $3
  AND ${plainSender('s.sender')} = ${plainSender('$4::text')} AND s.source = 'reply'`;
