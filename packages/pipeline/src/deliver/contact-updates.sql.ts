import type { Queryable } from '@belfry/database';
import { addressKey, storable, widenSuppression } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { type ContactUpdate, suppressionSources, usualSources } from '@belfry/shared';
import { isErased } from '../operate/is-erased.sql';

/** Contact updates for the address of a message. */
export type MessageContactUpdates = { messageId: string; changes: ContactUpdate[] };

type ChangeOnMessage<Kind extends ContactUpdate['change']> = {
  messageId: string;
  change: Extract<ContactUpdate, { change: Kind }>;
};

/** Stores contact updates from providers. Idempotent. They are rare, so each is one statement. */
export async function applyContactUpdates(
  pool: Queryable,
  updates: MessageContactUpdates[],
): Promise<void> {
  for (const { messageId, changes } of updates) {
    for (const change of changes) await apply(pool, messageId, change);
  }
}

function apply(pool: Queryable, messageId: string, change: ContactUpdate): Promise<unknown> {
  switch (change.change) {
    case 'suppress':
      return suppress(pool, { messageId, change });
    case 'move_address':
      return moveAddress(pool, { messageId, change });
    case 'disable_device':
      return disableDevice(pool, { messageId, change });
  }
}

/** A bounce takes the place of a suppression for optional events; see `widenSuppression`. */
function suppress(
  pool: Queryable,
  { messageId, change }: ChangeOnMessage<'suppress'>,
): Promise<unknown> {
  const source = change.source ?? usualSources[change.reason];
  return pool.query(
    `INSERT INTO suppression (id, app_id, channel, recipient, sender, reason, detail, source, scope)
     SELECT $2, app_id, channel, ${addressKey('channel', 'target')}, $3, $4, $5, $6, $7 FROM message m WHERE id = $1 AND NOT ${isErased('m')}
       AND $8::int <= (SELECT count(*) FROM (${bouncesOfAddress} LIMIT $8::int) b)
     ON CONFLICT (app_id, channel, recipient, sender) ${widenSuppression}`,
    [
      ...[messageId, newId(), change.sender, change.reason, storable(change.detail)],
      ...[source, suppressionSources[source].scope, change.minBounces ?? 0],
    ],
  );
}

/** Reads the messages to the address by the index on app, lower(target) and request. */
const bouncesOfAddress = `SELECT FROM message b WHERE b.app_id = m.app_id AND lower(b.target) = lower(m.target)
  AND b.channel = m.channel AND b.state = 'failed' AND b.reason = 'bounced' AND b.created_at > now() - interval '7 days'`;

/** Updates the stored user of the message, if the user still has the old address. */
function moveAddress(
  pool: Queryable,
  { messageId, change }: ChangeOnMessage<'move_address'>,
): Promise<unknown> {
  return pool.query(
    `UPDATE app_user u SET contact = jsonb_set(u.contact, $2::text[], to_jsonb($3::text)), updated_at = now()
     FROM message m JOIN request_item i ON i.request_id = m.request_id AND i.item = m.item
     WHERE m.id = $1 AND u.app_id = m.app_id AND u.user_id = i.recipient::jsonb ->> 'user_id'
       AND u.contact #>> $2::text[] = m.target`,
    [messageId, change.path, change.to],
  );
}

/** Disables the device that has the token now, whoever owns it: an invalid token is invalid for everyone. */
function disableDevice(
  pool: Queryable,
  { messageId, change }: ChangeOnMessage<'disable_device'>,
): Promise<unknown> {
  return pool.query(
    `UPDATE device d SET notifications_disabled = true, disabled_reason = $2, updated_at = now()
     FROM message m
     WHERE m.id = $1 AND d.app_id = m.app_id
       AND sha256(replace(d.fcm_token, '\\', '\\\\')::bytea) = sha256(replace(m.target, '\\', '\\\\')::bytea)
       AND d.fcm_token = m.target`,
    [messageId, storable(change.reason)],
  );
}
