import { plainArray } from '@belfry/database';
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
import { isClearlyEligible } from './eligibility.sql';

/**
 * Claims the messages that nothing can stop: nearly all, nearly always, at a third of the price of `claimMessages`, which
 * looks at the others. The result has undefined for each message that it does not claim.
 */
export async function claimEligibleMessages(
  pool: pg.Pool,
  { ids, worker, leaseMs }: ClaimOptions,
): Promise<(Claim | undefined)[]> {
  const { rows } = await pool.query<ClaimRow>({
    name: 'claim-eligible-messages',
    text: statement,
    values: [plainArray(ids), worker, leaseMs],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row && toClaim(row);
  });
}

const statement = `
WITH c AS (
  UPDATE message m SET state = 'sending', reason = NULL, waits = NULL, attempts = m.attempts + 1,
    due_at = now() + $3::float8 * interval '1 ms', settled_at = NULL, job_id = coalesce(m.job_id, m.id)
  WHERE m.id = ANY ($1::uuid[]) AND (${isClaimable}) IS TRUE AND ${isClearlyEligible('m')}
  RETURNING m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.attempts, m.unknown_count,
    m.integration_id, m.state, NULL AS obstacle, coalesce(m.notes ? 'waited_long', false) AS waited_long
), a AS (${openAttempts}
)${readClaimed}`;
