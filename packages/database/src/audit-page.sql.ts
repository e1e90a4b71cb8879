import { isUuid } from '@belfry/shared';
import type pg from 'pg';

export type AuditEntryRow = {
  id: string;
  at: Date;
  /** E-mail address; null for the command line, an API key or Belfry itself: see `by` in `change`. */
  operator: string | null;
  operatorId: string | null;
  appId: string | null;
  action: string;
  subject: string;
  change: Record<string, unknown> | null;
  /** Values of the changed fields before the change. */
  before: Record<string, unknown> | null;
};

/** Bounds of IDs, and filters. IDs start with their time. */
export type AuditFilter = {
  /** The page starts below this ID. */
  before?: string | undefined;
  from?: string | undefined;
  /** Null finds changes by the command line. */
  operatorId?: string | null | undefined;
  appId?: string | undefined;
  /** The beginning of an action: `integration.` */
  action?: string | undefined;
};

export type AuditPage = { entries: AuditEntryRow[]; next: string | null };

/** Entries read for one page. A filter that matches few entries gets a short page with a `next`. */
const maxScanned = 10_000;

/** Newest first. */
export async function readAuditPage(
  pool: pg.Pool,
  accountId: string,
  filter: AuditFilter,
  { limit, scanned = maxScanned }: { limit: number; scanned?: number },
): Promise<AuditPage> {
  const { before, from, operatorId, appId, action } = filter;
  const { rows } = await pool.query<AuditEntryRow>(pageStatement, [
    ...[accountId, before, from, scanned, limit],
    ...[operatorId, operatorId === null, appId, action],
  ]);
  if (rows.length === limit) return { entries: rows, next: rows.at(-1)?.id ?? null };
  const next = await findLastScanned(pool, accountId, filter, scanned);
  return { entries: rows, next: next ?? null };
}

const bounds =
  'account_id = $1 AND ($2::uuid IS NULL OR id < $2) AND ($3::uuid IS NULL OR id >= $3)';

// Follows the index on account and id. The joins come last, so that they read one page of operators.
const pageStatement = `
WITH scanned AS (SELECT * FROM audit_entry WHERE ${bounds} ORDER BY id DESC LIMIT $4),
page AS (
  SELECT * FROM scanned
  WHERE ($6::uuid IS NULL OR operator_id = $6) AND (NOT $7::boolean OR operator_id IS NULL)
    AND ($8::uuid IS NULL OR app_id = $8) AND ($9::text IS NULL OR starts_with(action, $9))
  ORDER BY id DESC LIMIT $5)
SELECT p.id, p.created_at AS at, o.email AS operator, p.operator_id AS "operatorId", p.app_id AS "appId",
  p.action, p.subject, p.change, p.before
FROM page p LEFT JOIN operator o ON o.id = p.operator_id
ORDER BY p.id DESC`;

/** Undefined if there are fewer entries: then there is no further page. */
async function findLastScanned(
  pool: pg.Pool,
  accountId: string,
  { before, from }: AuditFilter,
  scanned: number,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM audit_entry WHERE ${bounds} ORDER BY id DESC OFFSET $4 - 1 LIMIT 1`,
    [accountId, before, from, scanned],
  );
  return rows[0]?.id;
}

export type AuditName = {
  id: string;
  name: string;
  isRemoved: boolean;
  /** Only of a message. */
  requestId: string | null;
};

/** Names of the things in a page of entries, also of removed ones. IDs of other accounts have none. */
export async function readAuditNames(
  pool: pg.Pool,
  accountId: string,
  ids: readonly string[],
): Promise<AuditName[]> {
  const keys = ids.filter((id) => !isUuid(id));
  const { rows } = await pool.query<AuditName>(namesStatement, [
    ...[accountId, ids.filter(isUuid), keys],
  ]);
  return rows;
}

/** Rows of a table of apps, by primary key. */
function selectOfApps(table: string, columns: string): string {
  return `SELECT t.id::text, ${columns} FROM ${table} t JOIN app a ON a.id = t.app_id
  WHERE a.account_id = $1 AND t.id = ANY ($2::uuid[])`;
}

const ofAccount = 'WHERE account_id = $1 AND id = ANY ($2::uuid[])';

// Each part follows the primary key of its table.
const namesStatement = `
SELECT id::text AS id, name, deleted_at IS NOT NULL AS "isRemoved", NULL::text AS "requestId" FROM app ${ofAccount}
UNION ALL SELECT id::text, email, disabled_at IS NOT NULL, NULL FROM operator ${ofAccount}
UNION ALL ${selectOfApps('event', 't.name, t.deleted_at IS NOT NULL, NULL')}
UNION ALL ${selectOfApps('integration', 't.name, t.deleted_at IS NOT NULL, NULL')}
UNION ALL ${selectOfApps('event_version', 't.number::text, false, NULL')}
UNION ALL ${selectOfApps('saved_filter', 't.name, false, NULL')}
UNION ALL ${selectOfApps('webhook_endpoint', "split_part(t.url, '/', 3), false, NULL")}
UNION ALL ${selectOfApps('alert_rule', 't.kind, false, NULL')}
UNION ALL ${selectOfApps('message', 't.channel, false, t.request_id::text')}
UNION ALL SELECT id, coalesce(name, 'bk_' || left(id, 6) || '…'), coalesce(least(revoked_at, expires_at) <= now(), false), NULL
FROM api_key WHERE account_id = $1 AND id = ANY ($3::text[])`;
