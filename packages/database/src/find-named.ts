import { isUuid } from '@belfry/shared';
import type pg from 'pg';
import { wentTo } from './address-key';
import { listStoredKeys } from './key-text';

export type NamedRow =
  | { kind: 'request' | 'message'; appId: string; requestId: string; event: string }
  | { kind: 'resend'; appId: string; resendId: string }
  | { kind: 'recipient' | 'idempotencyKey' | 'user'; appId: string };

export type NameQuery = { accountId: string; appId: string | undefined; text: string };

/** Finds exact matches: an id in any app of the account, any other text only in the app `appId`. */
export async function findNamed(
  pool: pg.Pool,
  { accountId, appId, text }: NameQuery,
): Promise<NamedRow[]> {
  const id = text.toLowerCase();
  const byId = isUuid(id) ? await queryRows(pool, idStatement, [accountId, id]) : [];
  const byText =
    appId === undefined
      ? []
      : await queryRows(pool, textStatement, [appId, text, listStoredKeys(text)]);
  return [...byId, ...byText];
}

async function queryRows(pool: pg.Pool, text: string, values: unknown[]): Promise<NamedRow[]> {
  return (await pool.query<NamedRow>(text, values)).rows;
}

const idStatement = `
SELECT f.kind, f.app_id AS "appId", f.request_id AS "requestId", f.resend_id AS "resendId", coalesce(e.name, '') AS event
FROM (
  SELECT 'request' AS kind, app_id, id AS request_id, NULL::uuid AS resend_id FROM request WHERE id = $2
  UNION ALL SELECT 'message', app_id, request_id, NULL FROM message WHERE id = $2
  UNION ALL SELECT 'resend', app_id, NULL, id FROM resend WHERE id = $2
) f
JOIN app a ON a.id = f.app_id AND a.account_id = $1 AND a.deleted_at IS NULL
LEFT JOIN request r ON r.id = f.request_id
LEFT JOIN event e ON e.id = r.event_id`;

const textStatement = `
SELECT kind, $1::uuid AS "appId" FROM (
  SELECT 'user' AS kind WHERE EXISTS (SELECT 1 FROM app_user WHERE app_id = $1 AND user_id = $2)
  UNION ALL SELECT 'recipient' WHERE EXISTS (SELECT 1 FROM message m WHERE app_id = $1 AND ${wentTo('m', '$2')})
  UNION ALL SELECT 'idempotencyKey' WHERE EXISTS (
    SELECT 1 FROM request WHERE app_id = $1 AND idempotency_key = ANY ($3::text[]))
) f`;
