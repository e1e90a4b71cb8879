import type { Queryable } from '@belfry/database';

/** A table that grows with what an account's API calls store. */
type Source = {
  table: string;
  /** An indexed column that is ordered by time: a version 7 UUID, or a timestamp. */
  key: string;
  keyType: 'uuid' | 'time';
  /** The join to the table that has the account, and the account's column. `t` is the source table. */
  join: string;
  account: string;
  /** Columns of variable size. PostgreSQL knows their stored size without reading them. */
  columns: string[];
  /** Bytes of a row's header, other columns and index entries. Measured; see the test. */
  rowBytes: number;
};

const byApp = { join: 'JOIN app a ON a.id = t.app_id', account: 'a.account_id' };
const byId = { key: 'id', keyType: 'uuid' } as const;

/** Operator tables (templates, integrations, audit) are not counted, because no API call makes them grow. */
const sources: Source[] = [
  {
    table: 'request',
    ...byId,
    join: '',
    account: 't.account_id',
    columns: ['idempotency_key', 'traceparent'],
    rowBytes: 440,
  },
  {
    table: 'request_item',
    key: 'request_id',
    keyType: 'uuid',
    join: 'JOIN request r ON r.id = t.request_id',
    account: 'r.account_id',
    columns: [
      'recipient',
      'data',
      'override',
      'locale',
      'schedule_at',
      'skips',
      'metadata',
      'cancel_key',
    ],
    rowBytes: 260,
  },
  {
    table: 'request_term',
    key: 'request_id',
    keyType: 'uuid',
    ...byApp,
    columns: [],
    rowBytes: 210,
  },
  { table: 'message', ...byId, ...byApp, columns: ['target', 'reason', 'notes'], rowBytes: 900 },
  {
    table: 'attempt',
    key: 'message_id',
    keyType: 'uuid',
    join: 'JOIN message m ON m.id = t.message_id JOIN app a ON a.id = m.app_id',
    account: 'a.account_id',
    columns: ['worker', 'reason', 'detail', 'provider_message_id', 'request', 'response'],
    rowBytes: 180,
  },
  {
    table: 'receipt',
    ...byId,
    ...byApp,
    columns: ['provider_message_id', 'error_code', 'detail', 'body', 'identity'],
    rowBytes: 270,
  },
  { table: 'capture', ...byId, ...byApp, columns: ['target', 'content', 'request'], rowBytes: 260 },
  { table: 'inbox_item', ...byId, ...byApp, columns: ['user_id', 'content'], rowBytes: 500 },
  { table: 'app_user', ...byId, ...byApp, columns: ['user_id', 'contact'], rowBytes: 440 },
  {
    table: 'device',
    ...byId,
    ...byApp,
    columns: [
      'client_id',
      'fcm_token',
      'push_subscription',
      'platform',
      'fields',
      'disabled_reason',
    ],
    rowBytes: 280,
  },
  {
    table: 'idempotency_key',
    key: 'first_seen',
    keyType: 'time',
    join: '',
    account: 't.account_id',
    columns: ['key_hash', 'fingerprint', 'ring_key_id', 'body'],
    rowBytes: 190,
  },
];

export type SliceOptions = {
  /** Approximate rows of one table in a slice. */
  sliceRows: number;
  /** Maximum new slices in one run. */
  cutsPerRun: number;
  /** Maximum older slices to measure again in one run. */
  remeasuresPerRun: number;
  /** Maximum age of the measurement of a slice that is not the last. */
  remeasureAfterMs: number;
};

/**
 * Updates every account's `stored_bytes` without reading all rows. Rows are divided by time into slices. Each run measures
 * the last slice and cuts it if it has grown. Older slices are measured again at intervals, which finds rows that were
 * removed, updated or committed late. A new measurement replaces the previous one and changes the account's sum by the
 * difference, in one statement, so errors do not add up.
 */
export async function measureSlices(database: Queryable, options: SliceOptions): Promise<void> {
  await database.query('INSERT INTO storage_slice (from_at) VALUES ($1) ON CONFLICT DO NOTHING', [
    new Date(0),
  ]);
  await measureEnd(database, options);
  for (const slice of await listDueSlices(database, options)) await measure(database, slice);
  // Removes empty slices; the slice before each covers its time from now on.
  await database.query(
    `DELETE FROM storage_slice WHERE bytes = '{}' AND measured_at IS NOT NULL AND from_at > $1
       AND from_at < (SELECT max(from_at) FROM storage_slice)`,
    [new Date(0)],
  );
}

/** A range of time; an undefined end means no end. */
type Slice = { fromMs: number; toMs: number | undefined };

async function measureEnd(database: Queryable, options: SliceOptions): Promise<void> {
  for (let cut = 0; cut < options.cutsPerRun; cut += 1) {
    const { rows } = await database.query<{ from_ms: number; now_ms: number }>(lastSliceStatement);
    const [last] = rows;
    if (!last) throw new Error('storage_slice has no rows');
    const { from_ms: fromMs, now_ms: nowMs } = last;
    const toMs = await findCut(database, fromMs, options.sliceRows);
    // A process with a fast clock makes ids in the future: they stay in the last slice until their time has come.
    const isCut = toMs !== undefined && toMs < nowMs;
    if (isCut) {
      await database.query('INSERT INTO storage_slice (from_at) VALUES ($1)', [new Date(toMs)]);
    }
    await measure(database, { fromMs, toMs: isCut ? toMs : undefined });
    if (!isCut) return;
  }
}

const lastSliceStatement = `
SELECT (extract(epoch FROM from_at) * 1000)::float8 AS from_ms, (extract(epoch FROM now()) * 1000)::float8 AS now_ms
FROM storage_slice ORDER BY from_at DESC LIMIT 1`;

const cutStatement = sources
  .map(({ table, key, keyType }) => {
    const from = keyType === 'uuid' ? '$1::uuid' : '$2::timestamptz';
    const value = keyType === 'uuid' ? `${key}::text` : `(extract(epoch FROM ${key}) * 1000)::text`;
    return `(SELECT ${value} AS value FROM ${table} WHERE ${key} >= ${from} ORDER BY ${key} OFFSET $3 LIMIT 1)`;
  })
  .join(' UNION ALL ');

/** Finds where the first table has `sliceRows` rows; undefined if no table has. */
async function findCut(
  database: Queryable,
  fromMs: number,
  sliceRows: number,
): Promise<number | undefined> {
  const values = [firstIdAt(fromMs), new Date(fromMs), sliceRows];
  const { rows } = await database.query<{ value: string }>(cutStatement, values);
  if (rows.length === 0) return undefined;
  const times = rows.map(({ value }) => (value.includes('-') ? timeOfId(value) : Number(value)));
  return Math.max(Math.floor(Math.min(...times)), fromMs + 1);
}

async function listDueSlices(
  database: Queryable,
  { remeasureAfterMs, remeasuresPerRun }: SliceOptions,
): Promise<Slice[]> {
  const { rows } = await database.query<{ from_ms: number; to_ms: number }>(
    `SELECT (extract(epoch FROM from_at) * 1000)::float8 AS from_ms, (extract(epoch FROM to_at) * 1000)::float8 AS to_ms
     FROM (SELECT from_at, measured_at, lead(from_at) OVER (ORDER BY from_at) AS to_at FROM storage_slice) s
     WHERE to_at IS NOT NULL AND (measured_at IS NULL OR measured_at <= now() - $1::float8 * interval '1 ms')
     ORDER BY measured_at NULLS FIRST LIMIT $2`,
    [remeasureAfterMs, remeasuresPerRun],
  );
  return rows.map(({ from_ms, to_ms }) => ({ fromMs: from_ms, toMs: to_ms }));
}

const measured = sources
  .map(({ table, key, keyType, join, account, columns, rowBytes }) => {
    const [from, to] =
      keyType === 'uuid' ? ['$1::uuid', '$2::uuid'] : ['$3::timestamptz', '$4::timestamptz'];
    const sizes = columns.map((column) => `coalesce(pg_column_size(t.${column}), 0)`);
    return `SELECT ${account} AS account_id, sum(${[rowBytes, ...sizes].join(' + ')}) AS bytes
      FROM ${table} t ${join} WHERE t.${key} >= ${from} AND t.${key} < ${to} GROUP BY 1`;
  })
  .join(' UNION ALL ');

const measureStatement = `
WITH new AS (
  SELECT account_id, sum(bytes)::bigint AS bytes FROM (${measured}) m GROUP BY account_id
), old AS (
  SELECT b.key::uuid AS account_id, b.value::bigint AS bytes
  FROM storage_slice s CROSS JOIN jsonb_each_text(s.bytes) b WHERE s.from_at = $3
), change AS (
  SELECT account_id, coalesce(new.bytes, 0) - coalesce(old.bytes, 0) AS bytes
  FROM new FULL JOIN old USING (account_id)
), counted AS (
  UPDATE account a SET stored_bytes = a.stored_bytes + c.bytes
  FROM change c WHERE a.id = c.account_id AND c.bytes <> 0
)
UPDATE storage_slice
SET bytes = coalesce((SELECT jsonb_object_agg(account_id, bytes) FROM new), '{}'), measured_at = now()
WHERE from_at = $3`;

async function measure(database: Queryable, { fromMs, toMs }: Slice): Promise<void> {
  await database.query(measureStatement, [
    firstIdAt(fromMs),
    toMs === undefined ? lastId : firstIdAt(toMs),
    new Date(fromMs),
    toMs === undefined ? 'infinity' : new Date(toMs),
  ]);
}

/** Marks the slices of removed requests to be measured first, so that the account's storage is freed soon. */
export async function markRequestSlices(database: Queryable, requestIds: string[]): Promise<void> {
  const times = requestIds.map(timeOfId);
  await database.query(
    `UPDATE storage_slice SET measured_at = NULL WHERE from_at <= $2
       AND from_at >= (SELECT max(from_at) FROM storage_slice WHERE from_at <= $1)`,
    [new Date(Math.min(...times)), new Date(Math.max(...times))],
  );
}

/** Above every version 7 UUID. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The lower bound of version 7 UUIDs made at this time or later. */
export function firstIdAt(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
