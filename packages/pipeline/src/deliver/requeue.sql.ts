import type pg from 'pg';
import { selectNextIntegration } from './eligibility.sql';
import { buildFailoverNote } from './failover.sql';
import { isDue } from './waiting-message.sql';

/** A message that a worker received and does not send now. */
export type RequeuedMessage = {
  id: string;
  /** Time until the message is due again, unless the next integration sends it at once. */
  waitMs: number;
  /**
   * `circuit`: the circuit of its integration is open, so the next one of the chain gets the message at once.
   * `limit`: the rate limit of its integration is used up. `connections`: no connection was free. `stopping`: the worker stops.
   */
  why: 'circuit' | 'limit' | 'connections' | 'stopping';
};

/** Returns messages to the relay without an attempt. */
export async function requeueMessages(pool: pg.Pool, messages: RequeuedMessage[]): Promise<void> {
  await pool.query({
    name: 'requeue-messages',
    text: statement,
    values: [
      messages.map(({ id }) => id),
      messages.map(({ waitMs }) => waitMs),
      messages.map(({ why }) => why),
    ],
  });
}

// After the last integration of a chain comes the first one again, when the wait is over. A message that is not due belongs to
// another attempt.
const statement = `
WITH n AS (
  SELECT t.id, t.wait_ms, t.why, i.name, next.id AS next_id, next.is_later IS TRUE AS is_next_later
  FROM unnest($1::uuid[], $2::float8[], $3::text[]) t (id, wait_ms, why)
  JOIN message m ON m.id = t.id
  JOIN request r ON r.id = m.request_id
  JOIN event_version v ON v.id = r.version_id
  LEFT JOIN integration i ON i.id = m.integration_id
  LEFT JOIN LATERAL (${selectNextIntegration({
    chain: "v.definition #> ARRAY['channels', m.channel, 'integrationIds']",
    from: 'm',
    when: "t.why = 'circuit' AND m.integration_id IS NOT NULL",
  })}) next ON true
  WHERE m.id = ANY ($1::uuid[])
)
UPDATE message m SET
  job_id = NULL,
  due_at = least(CASE WHEN n.is_next_later THEN now() ELSE now() + n.wait_ms * interval '1 ms' END, m.expires_at),
  waits = CASE WHEN n.why = 'stopping' THEN m.waits WHEN NOT n.is_next_later THEN n.why END,
  integration_id = coalesce(n.next_id, m.integration_id),
  notes = CASE WHEN n.is_next_later
    THEN ${buildFailoverNote({ integrationId: 'm.integration_id', name: 'n.name', reason: 'no_answer', detail: 'NULL' })}
    ELSE m.notes END
FROM n
WHERE m.id = n.id AND m.id = ANY ($1::uuid[]) AND m.state = 'queued' AND ${isDue('m')}`;
