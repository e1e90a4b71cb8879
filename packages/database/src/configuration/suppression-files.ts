import { newId } from '@belfry/runtime';
import type { SuppressionReason, SuppressionScope, SuppressionSource } from '@belfry/shared';
import type pg from 'pg';
import { addressKey } from '../address-key';
import { plainArray, textArray } from '../array-parameters';
import { type ActorInApp, writeAudit } from '../audit';
import { inTransaction } from '../transaction';
import { begins, lastCharacter, type SuppressionRow, widenSuppression } from './suppressions';

/** A row of a file, in the form in which it is stored. */
export type ImportedSuppression = {
  channel: string;
  address: string;
  /** Empty for every sender of the app. */
  sender: string;
  scope: SuppressionScope;
  reason: SuppressionReason;
  source: SuppressionSource;
  detail: string;
  /** Undefined: now. */
  createdAt: Date | undefined;
};

/** Counts of addresses. A file may name one twice. */
export type ImportCounts = {
  added: number;
  /** Suppressed for optional events until now, and then for all messages. */
  widened: number;
  unchanged: number;
};

export type ExportedSuppression = Omit<SuppressionRow, 'createdBy'>;

/** Rows of one page of an export. */
const pageRows = 1_000;

/** The suppressions of an app as a file, and back. */
export function createSuppressionFiles(pool: pg.Pool) {
  return {
    /** The rows that the list shows for this beginning, page by page. Each page starts at an index entry. */
    async *walk(appId: string, beginning: string): AsyncGenerator<ExportedSuppression[]> {
      for (let last: ExportedSuppression | undefined; ; ) {
        const rows = await readPage(pool, { appId, beginning, last });
        if (rows.length > 0) yield rows;
        last = rows.at(-1);
        if (rows.length < pageRows) return;
      }
    },

    /** Counts what `importAll` would change now. */
    async count(appId: string, rows: readonly ImportedSuppression[]): Promise<ImportCounts> {
      const { rows: counts } = await pool.query<ImportCounts>(
        `WITH f AS (${fileRows})
         SELECT count(*) FILTER (WHERE s.id IS NULL)::int AS added, count(*) FILTER (WHERE ${isWidened})::int AS widened,
           count(*) FILTER (WHERE s.id IS NOT NULL AND NOT (${isWidened}))::int AS unchanged
         FROM f LEFT JOIN suppression s ON s.app_id = $1 AND s.channel = f.channel AND s.recipient = f.recipient AND s.sender = f.sender`,
        [appId, ...toArrays(rows)],
      );
      return counts[0] ?? { added: 0, widened: 0, unchanged: 0 };
    },

    /** All rows, or none. The same file again changes nothing, and is not recorded. */
    importAll: (actor: ActorInApp, rows: readonly ImportedSuppression[]): Promise<ImportCounts> =>
      inTransaction(pool, async (client) => {
        const { rows: counts } = await client.query<ImportCounts>(
          `WITH f AS (${fileRows}), w AS (
             INSERT INTO suppression (id, app_id, channel, recipient, sender, scope, reason, source, detail, created_at, created_by)
             SELECT f.id, $1, f.channel, f.recipient, f.sender, f.scope, f.reason, f.source, nullif(f.detail, ''),
               coalesce(f.created_at, now()), CASE WHEN f.reason = 'manual' THEN $11::uuid END
             FROM f ON CONFLICT (app_id, channel, recipient, sender) ${widenSuppression} RETURNING id
           ), n AS (SELECT count(*) FILTER (WHERE id IN (SELECT id FROM f)) AS added, count(*) AS changed FROM w)
           SELECT added::int, (changed - added)::int AS widened, ((SELECT count(*) FROM f) - changed)::int AS unchanged FROM n`,
          [actor.appId, ...toArrays(rows), actor.operatorId],
        );
        const result = counts[0] ?? { added: 0, widened: 0, unchanged: 0 };
        if (result.added + result.widened > 0) {
          const entry = { action: 'suppression.imported', subject: actor.appId, change: result };
          await writeAudit(client, actor, entry);
        }
        return result;
      }),
  };
}

export type SuppressionFiles = ReturnType<typeof createSuppressionFiles>;

type PagePlace = { appId: string; beginning: string; last: ExportedSuppression | undefined };

async function readPage(
  pool: pg.Pool,
  { appId, beginning, last }: PagePlace,
): Promise<ExportedSuppression[]> {
  const isMixedCase = beginning !== beginning.toLowerCase();
  const { rows } = await pool.query<ExportedSuppression>(
    `SELECT s.id, s.channel, s.recipient AS address, s.sender, s.scope, s.reason, s.source, s.detail, s.created_at AS "createdAt"
     FROM suppression s
     WHERE s.app_id = $1 AND (${begins('$2')} ${isMixedCase ? `OR s.channel = 'email' AND ${begins('lower($2)')}` : ''})
       AND s.recipient ~>=~ $4 AND NOT (s.recipient = $4 AND s.id <= $5)
     ORDER BY s.recipient USING ~<~, s.id LIMIT ${pageRows}`,
    [appId, beginning, lastCharacter, last?.address ?? '', last?.id ?? null],
  );
  return rows;
}

/**
 * Rows with different addresses, in the order of the key, so that two imports cannot lock each other out. If two rows have one
 * address, the one for all messages wins, then the first: `all` sorts before `optional`.
 */
const fileRows = `SELECT DISTINCT ON (channel, recipient, sender) *
  FROM (SELECT t.id, t.channel, ${addressKey('t.channel', 't.address')} AS recipient, t.sender, t.scope, t.reason, t.source, t.detail,
      t.created_at, t.n
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::timestamptz[])
      WITH ORDINALITY t (id, channel, address, sender, scope, reason, source, detail, created_at, n)) r
  ORDER BY channel, recipient, sender, scope, n`;

const isWidened = `s.scope = 'optional' AND f.scope = 'all'`;

function toArrays(rows: readonly ImportedSuppression[]): (string | Buffer)[] {
  return [
    plainArray(rows.map(() => newId())),
    ...texts.map((name) => textArray(rows.map((row) => row[name]))),
    plainArray(rows.map(({ createdAt }) => createdAt)),
  ];
}

const texts = ['channel', 'address', 'sender', 'scope', 'reason', 'source', 'detail'] as const;
