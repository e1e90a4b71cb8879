import { addressKey, plainArray } from '@belfry/database';
import type pg from 'pg';
import {
  type Claim,
  type ClaimOptions,
  type ClaimRow,
  isClaimable,
  openAttempts,
  readClaimed,
  toClaim,
} from './claim.sql';

/**
 * Claims the messages that nothing may stand in the way of: nearly all, nearly always, at a third of the price of
 * `claimMessages`, which is for the others; undefined for each of them, that it may be asked.
 */
export async function claimClearMessages(
  pool: pg.Pool,
  { ids, worker, leaseMs }: ClaimOptions,
): Promise<(Claim | undefined)[]> {
  const { rows } = await pool.query<ClaimRow>({
    name: 'claim-clear-messages',
    text: statement,
    values: [plainArray(ids), worker, leaseMs],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row && toClaim(row);
  });
}

// What would have to be looked at more closely is not clear: a suppression, whichever sender it is for, and any push, whose
// device must be asked. Each is asked about by itself, by its key, and no index may serve what is tested IS TRUE, so that one
// plan is right whatever the tables hold.
const statement = `
WITH c AS (
  UPDATE message m SET state = 'sending', reason = NULL, waits = NULL, attempts = m.attempts + 1,
    due_at = now() + $3::float8 * interval '1 ms', settled_at = NULL, job_id = coalesce(m.job_id, m.id)
  WHERE m.id = ANY ($1::uuid[]) AND (${isClaimable} AND m.expires_at > now() AND m.channel <> 'push') IS TRUE
    AND (SELECT true FROM integration WHERE id = m.integration_id AND (state <> 'active' OR deleted_at IS NOT NULL)) IS NULL
    AND (SELECT true FROM channel_pause WHERE app_id = m.app_id AND channel = m.channel) IS NULL
    AND (SELECT true FROM suppression WHERE app_id = m.app_id AND channel = m.channel AND recipient = ${addressKey('m.channel', 'm.target')} LIMIT 1) IS NULL
  RETURNING m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.attempts, m.unknown_count,
    m.integration_id, m.state, NULL AS obstacle, coalesce(m.notes ? 'waited_long', false) AS waited_long
), a AS (${openAttempts}
)${readClaimed}`;
