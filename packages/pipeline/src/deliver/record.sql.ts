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
  type WaitReason,
} from '@belfry/shared';
import type pg from 'pg';
import { applyContactUpdates } from './contact-updates.sql';

/** The result of an attempt and its message's next state. */
export type AttemptResult = {
  messageId: string;
  attempt: number;
  outcome: OutcomeKind;
  reason: string | undefined;
  detail: string | undefined;
  provider: string | undefined;
  providerMessageId: string | undefined;
  /** JSON of the provider's request and response, redacted and truncated. */
  request: string | undefined;
  response: string | undefined;
  /** Extra notes for the log, such as template paths that are missing in the data. */
  notes: Record<string, Json>;
  /** Contact updates from the provider. */
  changes: ContactUpdate[];
  /** The item for the inbox of the user in the message's target. */
  inboxItem: Record<string, Json> | undefined;
  next: NextState;
  /** Resends after unknown outcomes that were made before this attempt. */
  unknownCount: number;
};

export type NextState = {
  state: MessageState;
  reason?: string;
  /** Delay from now; undefined if nothing is left to do. */
  dueAfterMs?: number;
  waits?: Extract<WaitReason, 'retry' | 'needs_attention' | 'limit' | 'connections'>;
  /** The integration of the next attempt, if it changes. */
  integrationId?: string;
  /** The provider asked for a wait of more than 15 minutes; set once per message. */
  isLongWait?: boolean;
  /** The next attempt may deliver a duplicate. */
  isPossibleDuplicate?: boolean;
  /** Nothing was sent, for a reason of ours: undoes the claim and its attempt. */
  isUnclaimed?: true;
};

/** The reason of an attempt whose worker stopped responding. */
export const leaseExpired = 'lease_expired';

/**
 * Closes attempts and updates their messages in one statement. A result counts unless a newer attempt was opened, even if
 * its lease expired meanwhile. Returns true for each result that was recorded. Contact updates are valid in any case, so
 * they are stored first.
 */
export async function recordResults(pool: pg.Pool, results: AttemptResult[]): Promise<boolean[]> {
  const changed = results.filter(({ changes }) => changes.length > 0);
  if (changed.length > 0) await applyContactUpdates(pool, changed);
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

/** Undoes claims that are still open; a message that a receipt, a later claim or an erasure changed stays as it is. */
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

/** Changes a column only while the message is open: a message that a receipt settled keeps its state, but gets the notes. */
function whileOpen(column: string, value: string): string {
  return `${column} = CASE WHEN m.state IN ('sending', 'queued', 'unknown') THEN ${value} ELSE m.${column} END`;
}

// In order of the readers: a trigger locks the reader of each item, so two statements with the same readers cannot deadlock.
const storeInboxItems = `, inbox AS (
  INSERT INTO inbox_item (id, app_id, user_id, message_id, content)
  SELECT t.inbox_id, m.app_id, m.target, t.id, t.inbox_content::jsonb
  FROM a t CROSS JOIN LATERAL (SELECT app_id, target FROM message WHERE id = t.id LIMIT 1) m
  WHERE t.inbox_content IS NOT NULL
  ORDER BY m.app_id, m.target
  ON CONFLICT (message_id) DO NOTHING
)`;

// `= ANY (ARRAY[one])` can only use an index. For a plain equality, a plan that was cached while the tables were empty scans
// the whole index.
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
    // Computed, not incremented: one attempt may get two results, from its expired lease and from its worker.
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
