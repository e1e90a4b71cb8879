import type pg from 'pg';
import { buildFailoverNote } from './failover.sql';

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
WITH t AS (
  SELECT t.id, t.wait_ms, t.why, t.why = 'circuit' AS is_circuit_open, m.integration_id, i.name, v.definition #> ARRAY['channels', m.channel, 'integrationIds'] AS chain
  FROM unnest($1::uuid[], $2::float8[], $3::text[]) t (id, wait_ms, why)
  JOIN message m ON m.id = t.id
  JOIN request r ON r.id = m.request_id
  JOIN event_version v ON v.id = r.version_id
  LEFT JOIN integration i ON i.id = m.integration_id
  WHERE m.id = ANY ($1::uuid[])
), n AS (
  SELECT t.id, t.wait_ms, t.why, t.is_circuit_open, t.name, (
    -- Only an active integration can send the message: with a removed one it would fail, with a paused one it would wait.
    SELECT e.id FROM jsonb_array_elements_text(t.chain) WITH ORDINALITY e (id, place)
    JOIN integration i ON i.id = e.id::uuid AND i.deleted_at IS NULL AND i.state = 'active'
    WHERE t.is_circuit_open AND e.place > (
      SELECT c.place FROM jsonb_array_elements_text(t.chain) WITH ORDINALITY c (id, place)
      WHERE c.id = t.integration_id::text LIMIT 1)
    ORDER BY e.place LIMIT 1
  )::uuid AS next_id, (
    SELECT e.id FROM jsonb_array_elements_text(t.chain) WITH ORDINALITY e (id, place)
    JOIN integration i ON i.id = e.id::uuid AND i.deleted_at IS NULL AND i.state = 'active'
    ORDER BY e.place LIMIT 1
  )::uuid AS first_id
  FROM t
)
UPDATE message m SET
  job_id = NULL,
  due_at = least(CASE WHEN n.next_id IS NULL THEN now() + n.wait_ms * interval '1 ms' ELSE now() END, m.expires_at),
  waits = CASE WHEN n.why = 'stopping' THEN m.waits WHEN n.next_id IS NULL THEN n.why END,
  integration_id = CASE
    WHEN m.integration_id IS NULL OR NOT n.is_circuit_open THEN m.integration_id
    ELSE coalesce(n.next_id, n.first_id, m.integration_id) END,
  notes = CASE WHEN n.next_id IS NULL THEN m.notes
    ELSE ${buildFailoverNote({ integrationId: 'm.integration_id', name: 'n.name', reason: 'no_answer', detail: 'NULL' })} END
FROM n
WHERE m.id = n.id AND m.id = ANY ($1::uuid[]) AND m.state = 'queued' AND m.due_at <= now()`;
