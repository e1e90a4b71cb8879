import {
  apiKeyPlace,
  inboxSecretPlace,
  integrationPlace,
  itemTokenPlace,
  totpPlace,
  userTokenPlace,
  webhookSecretsPlace,
} from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import type pg from 'pg';
import { itemPartPlace } from '../accept/sealed-items';

export type ResealCount = { name: string; resealed: number };

/** A key that no longer seals, and when it can be removed from the ring. */
export type OldKey = {
  keyId: string;
  /** When the last idempotency key fingerprinted with it is 25 hours old; undefined if none is left. */
  neededUntil: Date | undefined;
};

const rowsOfChunk = 500;
/** Each pass finds what other processes sealed with an old key meanwhile. */
const maxPasses = 5;

/**
 * Reseals everything that is sealed with another key than the ring's first. It changes a row only if the row is still as it
 * was read, so it may run beside everything else, stop anywhere and run again.
 */
export async function rotateKeys(
  pool: pg.Pool,
  secrets: Secrets,
  chunk = rowsOfChunk,
): Promise<ResealCount[]> {
  const rotated = sealedColumns.map(({ name }) => ({ name, resealed: 0 }));
  for (let pass = 0; pass < maxPasses; pass += 1) {
    let resealedInPass = 0;
    for (const [index, column] of sealedColumns.entries()) {
      const resealed = await rotateColumn(pool, secrets, { ...column, chunk });
      const sum = rotated[index];
      if (sum) sum.resealed += resealed;
      resealedInPass += resealed;
    }
    if (resealedInPass === 0) break;
  }
  return rotated;
}

/** Lists the keys that sealed before, and forgets those that are no longer needed. */
export async function listOldKeys(pool: pg.Pool, secrets: Secrets): Promise<OldKey[]> {
  const { rows } = await pool.query<{ key_id: string; needed_until: Date | null }>(
    `SELECT c.key_id, (
       SELECT max(k.first_seen) + interval '25 hours' FROM idempotency_key k
       WHERE k.ring_key_id = c.key_id
     ) AS needed_until
     FROM key_canary c WHERE c.key_id <> $1 ORDER BY c.key_id`,
    [secrets.keyId],
  );
  const old = rows.map((row) => ({
    keyId: row.key_id,
    neededUntil: row.needed_until ?? undefined,
  }));
  const free = old.filter(({ neededUntil }) => neededUntil === undefined);
  await pool.query('DELETE FROM key_canary WHERE key_id = ANY ($1)', [
    free.map(({ keyId }) => keyId),
  ]);
  return old;
}

type SealedRow = { cursor: string; sealed: string; id: string; item: number | null };

type SealedColumn = {
  name: string;
  /** Selects at most $3 rows after the cursor $1 whose text does not start with $2, in cursor order. */
  select: string;
  /** Replaces $2 by $3 in the row $1. */
  update: string;
  place(row: SealedRow): string;
};

const sealedColumns: SealedColumn[] = [
  {
    name: 'API keys',
    select: `SELECT id AS cursor, id, NULL::int AS item, sealed FROM api_key
             WHERE id > $1 AND NOT starts_with(sealed, $2) ORDER BY id LIMIT $3`,
    update: 'UPDATE api_key SET sealed = $3 WHERE id = $1 AND sealed = $2',
    place: ({ id }) => apiKeyPlace(id),
  },
  {
    name: 'inbox secrets',
    select: `SELECT id::text AS cursor, id::text AS id, NULL::int AS item, sealed FROM inbox_secret
             WHERE id::text > $1 AND NOT starts_with(sealed, $2) ORDER BY id::text LIMIT $3`,
    update: 'UPDATE inbox_secret SET sealed = $3 WHERE id = $1::uuid AND sealed = $2',
    place: ({ id }) => inboxSecretPlace(id),
  },
  {
    // A removed integration keeps its row, but has no credentials.
    name: 'credentials of integrations',
    select: `SELECT id::text AS cursor, id::text AS id, NULL::int AS item, credentials AS sealed FROM integration
             WHERE id::text > $1 AND credentials <> '' AND NOT starts_with(credentials, $2)
             ORDER BY id::text LIMIT $3`,
    update: 'UPDATE integration SET credentials = $3 WHERE id = $1::uuid AND credentials = $2',
    place: ({ id }) => integrationPlace(id),
  },
  {
    name: 'TOTP secrets of operators',
    select: `SELECT operator_id::text AS cursor, operator_id::text AS id, NULL::int AS item, secret AS sealed
             FROM operator_totp
             WHERE operator_id::text > $1 AND NOT starts_with(secret, $2) ORDER BY operator_id::text LIMIT $3`,
    update: 'UPDATE operator_totp SET secret = $3 WHERE operator_id = $1::uuid AND secret = $2',
    place: ({ id }) => totpPlace(id),
  },
  {
    name: 'secrets of webhook endpoints',
    select: `SELECT id::text AS cursor, id::text AS id, NULL::int AS item, secrets AS sealed FROM webhook_endpoint
             WHERE id::text > $1 AND NOT starts_with(secrets, $2) ORDER BY id::text LIMIT $3`,
    update: 'UPDATE webhook_endpoint SET secrets = $3 WHERE id = $1::uuid AND secrets = $2',
    place: ({ id }) => webhookSecretsPlace(id),
  },
  {
    name: 'Slack tokens of users',
    select: `SELECT id::text AS cursor, id::text AS id, NULL::int AS item,
                    contact #>> '{slack,access_token}' AS sealed
             FROM app_user
             WHERE id > coalesce(nullif($1, '')::uuid, '00000000-0000-0000-0000-000000000000')
               AND NOT starts_with(contact #>> '{slack,access_token}', $2)
             ORDER BY id LIMIT $3`,
    update: `UPDATE app_user SET contact = jsonb_set(contact, '{slack,access_token}', to_jsonb($3::text))
             WHERE id = $1::uuid AND contact #>> '{slack,access_token}' = $2`,
    place: ({ id }) => userTokenPlace(id),
  },
  {
    name: 'Slack tokens of requests',
    select: `SELECT request_id || ':' || item AS cursor, request_id::text AS id, item,
                    recipient::jsonb #>> '{slack,access_token}' AS sealed
             FROM request_item
             WHERE (request_id, item) > (
                 coalesce(nullif(split_part($1, ':', 1), '')::uuid, '00000000-0000-0000-0000-000000000000'),
                 coalesce(nullif(split_part($1, ':', 2), '')::int, -1))
               AND recipient LIKE '%"access_token"%'
               AND NOT starts_with(recipient::jsonb #>> '{slack,access_token}', $2)
             ORDER BY request_id, item LIMIT $3`,
    // Keeps the text except for the sealed part, which occurs once and needs no escaping.
    update: `UPDATE request_item SET recipient = replace(recipient, $2, $3)
             WHERE request_id = split_part($1, ':', 1)::uuid AND item = split_part($1, ':', 2)::int
               AND recipient::jsonb #>> '{slack,access_token}' = $2`,
    place: ({ id, item }) => itemTokenPlace(id, item ?? 0),
  },
  sealedPart('data'),
  sealedPart('override'),
];

/** A sealed part of a sensitive request's item: a JSON string that needs no escaping. */
function sealedPart(part: 'data' | 'override'): SealedColumn {
  return {
    name: `${part} of sensitive requests`,
    select: `SELECT request_id || ':' || item AS cursor, request_id::text AS id, item, trim(both '"' from ${part}) AS sealed
             FROM request_item
             WHERE (request_id, item) > (
                 coalesce(nullif(split_part($1, ':', 1), '')::uuid, '00000000-0000-0000-0000-000000000000'),
                 coalesce(nullif(split_part($1, ':', 2), '')::int, -1))
               AND starts_with(${part}, '"') AND NOT starts_with(${part}, '"' || $2)
             ORDER BY request_id, item LIMIT $3`,
    update: `UPDATE request_item SET ${part} = '"' || $3 || '"'
             WHERE request_id = split_part($1, ':', 1)::uuid AND item = split_part($1, ':', 2)::int
               AND ${part} = '"' || $2 || '"'`,
    place: ({ id, item }) => itemPartPlace({ requestId: id, item: item ?? 0 }, part),
  };
}

async function rotateColumn(
  pool: pg.Pool,
  secrets: Secrets,
  { select, update, place, chunk }: SealedColumn & { chunk: number },
): Promise<number> {
  let resealed = 0;
  for (let after = ''; ; ) {
    const { rows } = await pool.query<SealedRow>(select, [after, secrets.sealedPrefix, chunk]);
    for (const row of rows) {
      const anew = secrets.seal(secrets.open(row.sealed, place(row)), place(row));
      const { rowCount } = await pool.query(update, [row.cursor, row.sealed, anew]);
      resealed += rowCount ?? 0;
    }
    const last = rows.at(-1);
    if (!last || rows.length < chunk) return resealed;
    after = last.cursor;
  }
}
