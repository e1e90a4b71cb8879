import { type MessageState, messageStates, type OutcomeKind } from '@belfry/shared';
import type pg from 'pg';

/** What an attempt came to, and what becomes of its message. */
export type AttemptResult = {
  messageId: string;
  attempt: number;
  outcome: OutcomeKind;
  reason: string | undefined;
  detail: string | undefined;
  provider: string | undefined;
  providerMessageId: string | undefined;
  /** JSON of the provider's request and answer, redacted and bounded. */
  request: string | undefined;
  response: string | undefined;
  /** Paths that the template reads and the data does not hold. */
  missing: string[];
  next: NextState;
};

export type NextState = {
  state: MessageState;
  reason?: string;
  /** From now; undefined where nothing more is to be done. */
  dueAfterMs?: number;
  waits?: 'retry' | 'needs_attention';
  /** The integration of the next attempt, when it is another one. */
  integrationId?: string;
  /** The next attempt may be a second delivery. */
  isPossibleDuplicate?: boolean;
};

/** The reason of an attempt whose worker was not heard of again. */
export const leaseExpired = 'lease_expired';

/**
 * Closes attempts and moves their messages on, in one statement. A result is kept as long as no newer
 * attempt was opened, also when the lease ran out meanwhile. True for each that was recorded.
 */
export async function recordResults(pool: pg.Pool, results: AttemptResult[]): Promise<boolean[]> {
  const { rows } = await pool.query<{ message_id: string; number: number }>({
    name: 'record-results',
    text: statement,
    values: columns(results),
  });
  const recorded = new Set(rows.map((row) => `${row.message_id}:${row.number}`));
  return results.map(({ messageId, attempt }) => recorded.has(`${messageId}:${attempt}`));
}

const finalStates = Object.entries(messageStates)
  .filter(([, { isFinal }]) => isFinal)
  .map(([state]) => `'${state}'`)
  .join(', ');

const statement = `
WITH t AS (
  SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::float8[], $13::text[], $14::uuid[], $15::int[], $16::text[])
    t (id, number, outcome, reason, detail, provider, provider_message_id, request, response,
       state, state_reason, due_after_ms, waits, integration_id, unknown, missing)
), a AS (
  UPDATE attempt a SET closed_at = now(), outcome = t.outcome, reason = t.reason, detail = t.detail,
    provider = t.provider, provider_message_id = t.provider_message_id, request = t.request, response = t.response
  FROM t
  WHERE a.message_id = t.id AND a.number = t.number AND a.message_id = ANY ($1::uuid[])
    AND (a.closed_at IS NULL OR (a.reason = '${leaseExpired}' AND t.reason IS DISTINCT FROM '${leaseExpired}'))
  RETURNING a.message_id, a.number
), m AS (
  UPDATE message m SET
    state = t.state,
    reason = t.state_reason,
    due_at = CASE WHEN t.due_after_ms IS NOT NULL THEN least(now() + t.due_after_ms * interval '1 ms', m.expires_at) END,
    waits = t.waits,
    job_id = NULL,
    integration_id = coalesce(t.integration_id, m.integration_id),
    unknown_count = m.unknown_count + t.unknown,
    notes = CASE WHEN t.missing IS NULL THEN m.notes
      ELSE coalesce(m.notes, '{}') || jsonb_build_object('missing', t.missing::jsonb) END,
    settled_at = CASE WHEN t.state IN (${finalStates}) THEN now() END
  FROM t
  WHERE m.id = t.id AND m.id = ANY ($1::uuid[]) AND m.attempts = t.number
    AND m.state IN ('sending', 'queued', 'unknown')
    AND EXISTS (SELECT 1 FROM a WHERE a.message_id = t.id AND a.number = t.number)
)
SELECT message_id, number FROM a`;

function columns(results: AttemptResult[]): unknown[] {
  const of = (read: (result: AttemptResult) => unknown) => results.map(read);
  return [
    of((result) => result.messageId),
    of((result) => result.attempt),
    of((result) => result.outcome),
    of((result) => storable(result.reason)),
    of((result) => storable(result.detail)),
    of((result) => result.provider),
    of((result) => storable(result.providerMessageId)),
    of((result) => result.request),
    of((result) => result.response),
    of(({ next }) => next.state),
    of(({ next }) => next.reason),
    of(({ next }) => next.dueAfterMs),
    of(({ next }) => next.waits),
    of(({ next }) => next.integrationId),
    of(({ next }) => (next.isPossibleDuplicate ? 1 : 0)),
    of(({ missing }) => (missing.length > 0 ? JSON.stringify(missing) : undefined)),
  ];
}

/** An index takes no more than 2.7 KB; what a person reads of an answer is shorter. */
const maxTextCharacters = 2_000;

/** A text of a provider as PostgreSQL takes it: it has no U+0000. */
function storable(text: string | undefined): string | undefined {
  return text?.slice(0, maxTextCharacters).replaceAll('\0', '\uFFFD');
}
