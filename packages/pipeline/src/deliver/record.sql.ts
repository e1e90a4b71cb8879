import {
  jsonColumn,
  listOfTexts,
  plainArray,
  readJsonColumn,
  storable,
  textArray,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  type ContactUpdate,
  finalStates,
  type Json,
  type MessageState,
  type OutcomeKind,
} from '@belfry/shared';
import type pg from 'pg';
import { applyContactUpdates } from './contact-updates.sql';

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
  /** What the log says beside the message, such as the paths that the data does not hold. */
  notes: Record<string, Json>;
  /** What was learned about the address. */
  changes: ContactUpdate[];
  /** What the person finds in the inbox; the message's target is whose. */
  inboxItem: Record<string, Json> | undefined;
  next: NextState;
  /** Resends for an unknown outcome that were made before this attempt. */
  unknownCount: number;
};

export type NextState = {
  state: MessageState;
  reason?: string;
  /** From now; undefined where nothing more is to be done. */
  dueAfterMs?: number;
  waits?: 'retry' | 'needs_attention' | 'limit' | 'connections';
  /** The integration of the next attempt, when it is another one. */
  integrationId?: string;
  /** The provider asked for more than the longest wait; said once a message. */
  isLongWait?: boolean;
  /** The next attempt may be a second delivery. */
  isPossibleDuplicate?: boolean;
  /** Nothing was sent for a reason of ours: the claim and its attempt are undone. */
  isUnclaimed?: true;
};

/** The reason of an attempt whose worker was not heard of again. */
export const leaseExpired = 'lease_expired';

/**
 * Closes attempts and moves their messages on, in one statement. A result is kept as long as no newer
 * attempt was opened, also when the lease ran out meanwhile. True for each that was recorded. What was
 * learned about an address is true whatever becomes of the result, and is stored before it.
 */
export async function recordResults(pool: pg.Pool, results: AttemptResult[]): Promise<boolean[]> {
  await applyContactUpdates(pool, results);
  const rows = [
    ...(await closeAttempts(
      pool,
      results.filter(({ next }) => !next.isUnclaimed),
    )),
    ...(await undoClaims(
      pool,
      results.filter(({ next }) => next.isUnclaimed),
    )),
  ];
  const recorded = new Set(rows.map((row) => `${row.id}:${row.number}`));
  return results.map(({ messageId, attempt }) => recorded.has(`${messageId}:${attempt}`));
}

type RecordedRow = { id: string; number: number };

async function closeAttempts(pool: pg.Pool, results: AttemptResult[]): Promise<RecordedRow[]> {
  if (results.length === 0) return [];
  const storesItems = results.some(({ inboxItem }) => inboxItem !== undefined);
  const { rows } = await pool.query<RecordedRow>({
    name: storesItems ? 'record-results-with-items' : 'record-results',
    text: storesItems ? statements.withItems : statements.plain,
    values: columns(results),
  });
  return rows;
}

/** Until a lease is given up: what a receipt, a later claim or an erasure made of the message stays. */
async function undoClaims(pool: pg.Pool, results: AttemptResult[]): Promise<RecordedRow[]> {
  if (results.length === 0) return [];
  const { rows } = await pool.query<RecordedRow>({
    name: 'undo-claims',
    text: undoStatement,
    values: [
      plainArray(results.map(({ messageId }) => messageId)),
      plainArray(results.map(({ attempt }) => attempt)),
      plainArray(results.map(({ next }) => next.dueAfterMs ?? 0)),
      textArray(results.map(({ next }) => next.waits)),
    ],
  });
  return rows;
}

const undoStatement = `
WITH t AS (
  SELECT * FROM unnest($1::uuid[], $2::int[], $3::float8[], $4::text[]) t (id, number, due_after_ms, waits)
), m AS (
  UPDATE message m SET state = 'queued', attempts = t.number - 1, job_id = NULL, waits = t.waits,
    due_at = least(now() + t.due_after_ms * interval '1 ms', m.expires_at)
  FROM t
  WHERE m.id = ANY (ARRAY[t.id]) AND m.attempts = t.number AND m.state = 'sending'
  RETURNING t.id, t.number
)
DELETE FROM attempt a USING m
WHERE a.message_id = ANY (ARRAY[m.id]) AND a.number = m.number
RETURNING m.id, m.number`;

/** A message that a receipt settled before keeps its state; what the attempt tells beside it is still worth a note. */
function whileOpen(column: string, value: string): string {
  return `${column} = CASE WHEN m.state IN ('sending', 'queued', 'unknown') THEN ${value} ELSE m.${column} END`;
}

const storeInboxItems = `, inbox AS (
  INSERT INTO inbox_item (id, app_id, user_id, message_id, content)
  SELECT t.inbox_id, m.app_id, m.target, t.id, t.inbox_content::jsonb
  FROM a t CROSS JOIN LATERAL (SELECT app_id, target FROM message WHERE id = t.id LIMIT 1) m
  WHERE t.inbox_content IS NOT NULL
  ON CONFLICT (message_id) DO NOTHING
)`;

// The rows are found by `= ANY (ARRAY[one])`, which nothing but an index can do: of an equality, a plan that was made while
// the tables were empty makes a walk through the whole index.
const createStatement = ({ storesItems }: { storesItems: boolean }) => `
WITH t AS (
  SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    ${readJsonColumn('$8')}, ${readJsonColumn('$9')}, $10::text[], $11::text[], $12::float8[], $13::text[], $14::uuid[], $15::int[],
    ${readJsonColumn('$16')}, $17::uuid[], ${readJsonColumn('$18')})
    t (id, number, outcome, reason, detail, provider, provider_message_id, request, response,
       state, state_reason, due_after_ms, waits, integration_id, unknown_count, notes, inbox_id, inbox_content)
), a AS (
  UPDATE attempt a SET closed_at = now(), outcome = t.outcome, reason = t.reason, detail = t.detail,
    provider = t.provider, provider_message_id = t.provider_message_id, request = t.request, response = t.response
  FROM t
  WHERE a.message_id = ANY (ARRAY[t.id]) AND a.number = t.number
    AND (a.closed_at IS NULL OR (a.reason = '${leaseExpired}' AND t.reason IS DISTINCT FROM '${leaseExpired}'))
  RETURNING t.id, t.number, t.state, t.state_reason, t.due_after_ms, t.waits, t.integration_id, t.unknown_count, t.notes,
    t.inbox_id, t.inbox_content
), m AS (
  UPDATE message m SET
    ${whileOpen('state', 't.state')},
    ${whileOpen('reason', 't.state_reason')},
    ${whileOpen('due_at', "CASE WHEN t.due_after_ms IS NOT NULL THEN least(now() + t.due_after_ms * interval '1 ms', m.expires_at) END")},
    ${whileOpen('waits', 't.waits')},
    ${whileOpen('job_id', 'NULL')},
    ${whileOpen('integration_id', 'coalesce(t.integration_id, m.integration_id)')},
    ${whileOpen('unknown_count', 't.unknown_count')},
    notes = CASE WHEN t.notes IS NULL THEN m.notes ELSE coalesce(m.notes, '{}') || t.notes::jsonb END,
    ${whileOpen('settled_at', `CASE WHEN t.state IN (${listOfTexts(finalStates)}) THEN now() END`)}
  FROM a t
  WHERE m.id = ANY (ARRAY[t.id]) AND m.attempts = t.number
)${storesItems ? storeInboxItems : ''}
SELECT id, number FROM a`;

const statements = {
  plain: createStatement({ storesItems: false }),
  withItems: createStatement({ storesItems: true }),
};

function columns(results: AttemptResult[]): unknown[] {
  return [
    plainArray(results.map(({ messageId }) => messageId)),
    plainArray(results.map(({ attempt }) => attempt)),
    textArray(results.map(({ outcome }) => outcome)),
    textArray(results.map(({ reason }) => storable(reason))),
    textArray(results.map(({ detail }) => storable(detail))),
    textArray(results.map(({ provider }) => provider)),
    textArray(results.map(({ providerMessageId }) => storable(providerMessageId))),
    jsonColumn(results.map(({ request }) => request)),
    jsonColumn(results.map(({ response }) => response)),
    textArray(results.map(({ next }) => next.state)),
    textArray(results.map(({ next }) => next.reason)),
    plainArray(results.map(({ next }) => next.dueAfterMs)),
    textArray(results.map(({ next }) => next.waits)),
    plainArray(results.map(({ next }) => next.integrationId)),
    // Not one more than is stored: of one attempt two results may come, its lease's and its own.
    plainArray(
      results.map(({ next, unknownCount }) => unknownCount + (next.isPossibleDuplicate ? 1 : 0)),
    ),
    jsonColumn(
      results.map(({ notes }) =>
        Object.keys(notes).length > 0 ? JSON.stringify(notes) : undefined,
      ),
    ),
    plainArray(results.map(({ inboxItem }) => inboxItem && newId())),
    jsonColumn(results.map(({ inboxItem }) => inboxItem && JSON.stringify(inboxItem))),
  ];
}
