import { changeWithAudit, createSystemActor, type Queryable } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import type pg from 'pg';
import { measureSlices, type SliceOptions } from '../relay/storage-slices.sql';

export type AccountStorage = {
  id: string;
  name: string;
  storedBytes: number;
  /** Undefined if the account has no limit. */
  limitBytes: number | undefined;
  /** Requests that would store more are refused. */
  isFull: boolean;
};

/** The limit of accounts without their own, in MB; from STORAGE_LIMIT_MB_PER_ACCOUNT. 0 means no limit. */
type DefaultLimit = { defaultLimitMb: number };

const sliceOptions: SliceOptions = {
  sliceRows: 2_000,
  cutsPerRun: 20,
  remeasuresPerRun: 4,
  remeasureAfterMs: 10 * 60_000,
};

/**
 * Runs once: counts the storage of accounts and marks those that are over their limit. Counts nothing if no account has a
 * limit.
 */
export async function countStorage(
  database: Queryable,
  { defaultLimitMb }: DefaultLimit,
  options: SliceOptions = sliceOptions,
): Promise<void> {
  const { rows } = await database.query<{ has_limit: boolean }>(
    `SELECT EXISTS (SELECT FROM account WHERE ${limit} > 0) AS has_limit`,
    [defaultLimitMb],
  );
  if (rows[0]?.has_limit) await measureSlices(database, options);
  await database.query(
    `UPDATE account SET is_storage_full = NOT is_storage_full WHERE is_storage_full <> (${limit} > 0 AND stored_bytes >= ${limit})`,
    [defaultLimitMb],
  );
}

/** An account's limit in bytes, with the default in $1. */
const limit = 'coalesce(storage_limit_bytes, $1::bigint * 1000000)';

export type StorageTotals = {
  storedBytes: number;
  fullAccounts: number;
  /** The highest share of its limit that an account uses, from 0 to 1 and above. 0 if no account has a limit. */
  highestShare: number;
};

export async function readStorageTotals(
  database: Queryable,
  { defaultLimitMb }: DefaultLimit,
): Promise<StorageTotals> {
  const { rows } = await database.query<StorageTotals>(
    `SELECT coalesce(sum(stored_bytes), 0)::float8 AS "storedBytes",
       count(*) FILTER (WHERE is_storage_full)::int AS "fullAccounts",
       coalesce(max(stored_bytes::float8 / nullif(${limit}, 0)), 0) AS "highestShare"
     FROM account`,
    [defaultLimitMb],
  );
  return rows[0] ?? { storedBytes: 0, fullAccounts: 0, highestShare: 0 };
}

/** Lists accounts with a limit, fullest first. */
export function listLimitedAccounts(
  database: Queryable,
  { defaultLimitMb }: DefaultLimit,
  rows: number,
): Promise<AccountStorage[]> {
  return list(
    database,
    `WHERE ${limit} > 0 ORDER BY stored_bytes::float8 / ${limit} DESC, id LIMIT $2`,
    [defaultLimitMb, rows],
  );
}

/** Finds the accounts with this name, or the one with this id. */
export function findAccountStorage(
  database: Queryable,
  { defaultLimitMb }: DefaultLimit,
  nameOrId: string,
): Promise<AccountStorage[]> {
  const where = isUuid(nameOrId) ? 'id = $2::uuid' : 'name = $2';
  return list(database, `WHERE ${where} ORDER BY id LIMIT 20`, [defaultLimitMb, nameOrId]);
}

async function list(
  database: Queryable,
  condition: string,
  values: unknown[],
): Promise<AccountStorage[]> {
  const { rows } = await database.query<AccountStorage & { limitBytes: number }>(
    `SELECT id, name, stored_bytes::float8 AS "storedBytes", is_storage_full AS "isFull",
       ${limit}::float8 AS "limitBytes"
     FROM account ${condition}`,
    values,
  );
  return rows.map((row) => ({ ...row, limitBytes: row.limitBytes || undefined }));
}

/** Null means the configured default; 0 means no limit. Gateways apply it after the relay's next count. */
export async function setStorageLimit(
  pool: pg.Pool,
  accountId: string,
  limitBytes: number | null,
): Promise<void> {
  const entry = {
    action: 'account.storage_limit_changed',
    subject: accountId,
    change: { limitBytes },
  };
  await changeWithAudit(pool, createSystemActor(accountId), entry, async (client) => {
    const { rowCount } = await client.query(
      'UPDATE account SET storage_limit_bytes = $2 WHERE id = $1 AND storage_limit_bytes IS DISTINCT FROM $2',
      [accountId, limitBytes],
    );
    return rowCount === 1 ? true : undefined;
  });
}
