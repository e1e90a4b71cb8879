import { isUuid } from '@belfry/shared';
import type pg from 'pg';
import { listStoredKeys } from './key-text';
import { metadataTerm } from './request-term';

export type NamedRow =
  | {
      kind: 'request' | 'message' | 'providerMessage';
      appId: string;
      requestId: string;
      event: string;
    }
  | { kind: 'resend'; appId: string; resendId: string }
  | { kind: 'user'; appId: string; userSid: string }
  | { kind: 'event'; appId: string; eventId: string }
  | { kind: 'idempotencyKey' | 'metadata'; appId: string };

export type NameQuery = {
  accountId: string;
  appId: string | undefined;
  text: string;
  providerMessageId: string | undefined;
};

/** Finds exact matches: an ID in any app of the account, any other text only in the app `appId`. */
export async function findNamed(
  pool: pg.Pool,
  { accountId, appId, text, providerMessageId }: NameQuery,
): Promise<NamedRow[]> {
  const id = text.toLowerCase();
  const [byId, byProvider, byText] = await Promise.all([
    isUuid(id) ? queryRows(pool, idStatement, [accountId, id]) : [],
    providerMessageId ? queryRows(pool, providerStatement, [accountId, providerMessageId]) : [],
    appId ? queryRows(pool, textStatement, [appId, text, listStoredKeys(text)]) : [],
  ]);
  return [...byId, ...byProvider, ...byText];
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

// Follows attempt_provider_message_id_idx. Accounts may share an ID, such as a Message-ID that a template sets.
const providerStatement = `
SELECT DISTINCT 'providerMessage' AS kind, m.app_id AS "appId", m.request_id AS "requestId", coalesce(e.name, '') AS event
FROM (
  SELECT message_id FROM attempt
  WHERE left(provider_message_id, 128) = left($2::text, 128) AND provider_message_id = $2 LIMIT 1000
) f
JOIN message m ON m.id = f.message_id
JOIN app a ON a.id = m.app_id AND a.account_id = $1 AND a.deleted_at IS NULL
LEFT JOIN request r ON r.id = m.request_id
LEFT JOIN event e ON e.id = r.event_id
LIMIT 10`;

const textStatement = `
SELECT 'user' AS kind, $1::uuid AS "appId", id AS "userSid", NULL::uuid AS "eventId" FROM app_user WHERE app_id = $1 AND user_id = $2
UNION ALL (
  SELECT 'event', $1, NULL, id FROM event WHERE app_id = $1 AND name = $2 ORDER BY deleted_at IS NULL DESC, id DESC LIMIT 1)
UNION ALL SELECT 'idempotencyKey', $1, NULL, NULL WHERE EXISTS (
  SELECT FROM request WHERE app_id = $1 AND idempotency_key = ANY ($3::text[]))
UNION ALL SELECT 'metadata', $1, NULL, NULL WHERE EXISTS (
  SELECT FROM request_term WHERE app_id = $1 AND term = ${metadataTerm('$2')})`;
