import { hash } from 'node:crypto';
import { addressKey, inTransaction, listOfTexts, type Queryable, storable } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  type ContactUpdate,
  expectedEnds,
  finalStates,
  isUuid,
  type MessageState,
  type ReceiptState,
  type RefusalReason,
} from '@belfry/shared';
import type pg from 'pg';
import { type AnsweredCall, type AnsweredWrite, writeAnswered } from '../accept/answered-write';
import { applyContactUpdates } from '../deliver/contact-updates.sql';
import { isErased } from './is-erased.sql';

/** A parsed report from a provider. */
export type NewReceipt = {
  appId: string;
  /** Undefined for a report by the app itself, which it may send only for push and onesignal messages. */
  integrationId: string | undefined;
  /** Our message id, if the report has it. Unchecked input. */
  messageId: string | undefined;
  providerMessageId: string | undefined;
  state: ReceiptState;
  /** Why the message failed, if `state` is `failed`. */
  reason: RefusalReason | undefined;
  errorCode: string | undefined;
  detail: string | undefined;
  /** The received body, truncated. */
  body: string;
  /** Equal for equal reports: providers repeat calls, and a signed call can be replayed. */
  identity: string;
  /** The identity counts once for the integration, whichever message the report names. */
  identifiesCall?: true | undefined;
  /** The address that the report is about, if one call can report about several, such as copies of a mail. */
  recipient?: string | undefined;
  /** Contact updates from the report. */
  changes?: ContactUpdate[];
};

export type ReceiptEffect = {
  /** The report was stored before, so nothing changed. */
  isRepeat: boolean;
  /** Undefined if the report is not about a message of this integration. */
  messageId: string | undefined;
  /** Undefined if the message kept its state. */
  movedTo: MessageState | undefined;
};

/**
 * Writes receipts and applies their contact updates in one transaction. A repeated receipt changes nothing, so a failure
 * between the two would lose the updates.
 */
export async function storeReceipts(
  pool: pg.Pool,
  receipts: NewReceipt[],
): Promise<ReceiptEffect[]> {
  if (receipts.every(({ changes = [] }) => changes.length === 0)) {
    return writeReceipts(pool, receipts);
  }
  return inTransaction(pool, async (client) => {
    const effects = await writeReceipts(client, receipts);
    const updates = receipts.flatMap(({ changes = [] }, index) => {
      const messageId = effects[index]?.messageId;
      return messageId === undefined || changes.length === 0 ? [] : [{ messageId, changes }];
    });
    await applyContactUpdates(client, updates);
    return effects;
  });
}

/**
 * Stores each receipt once and updates the state of its message, whichever attempt it belongs to, even while a resend is
 * queued. A state only moves forward: only a bounce undoes delivered, and failed stays failed with its reason.
 */
export async function writeReceipts(
  pool: Queryable,
  receipts: NewReceipt[],
): Promise<ReceiptEffect[]> {
  const ids = receipts.map(() => newId());
  const { rows } = await pool.query<EffectRow>({
    name: 'write-receipts',
    text: statement,
    values: columns(ids, receipts),
  });
  const byReceipt = new Map(rows.map((row) => [row.receipt_id, row]));
  return ids.map((id) => {
    const row = byReceipt.get(id);
    return {
      isRepeat: row === undefined,
      messageId: row?.known_id ?? undefined,
      movedTo: row?.state ?? undefined,
    };
  });
}

/** An app's report about a notification; `body` is the received body. */
export type AppReport = AnsweredCall &
  Pick<NewReceipt, 'appId' | 'messageId' | 'state' | 'detail' | 'body' | 'identity'>;

/** Stores an app's report with the response to its request. The effect is undefined if the idempotency key was used before. */
export async function writeAppReport(
  pool: pg.Pool,
  report: AppReport,
  answer: string,
): Promise<{ result: AnsweredWrite; effect: ReceiptEffect | undefined }> {
  const { appId, messageId, state, detail, body, identity } = report;
  let effect: ReceiptEffect | undefined;
  const result = await writeAnswered(pool, report, async (client) => {
    const none = { integrationId: undefined, providerMessageId: undefined, errorCode: undefined };
    const receipt = { appId, messageId, state, reason: undefined, detail, body, identity, ...none };
    [effect] = await writeReceipts(client, [receipt]);
    return answer;
  });
  return { result, effect };
}

/** Whether an app may report about the message: it is a push of the app that was attempted. `messageId` is unchecked input. */
export async function isReportable(
  pool: Queryable,
  { appId, messageId }: { appId: string; messageId: string },
): Promise<boolean> {
  if (!isUuid(messageId)) return false;
  const { rows } = await pool.query({
    name: 'find-reportable-message',
    text: `SELECT FROM message m WHERE m.id = $1 AND m.app_id = $2 AND m.attempts > 0 AND ${isAppChannel('m')}`,
    values: [messageId, appId],
  });
  return rows.length > 0;
}

/** The channels about which the app itself reports. */
const isAppChannel = (m: string) => `${m}.channel IN ('push', 'onesignal')`;

/**
 * For each reported state, the states that it can replace. `queued` adds no information. A failure for an expected reason,
 * such as an opt-out, changes the state to `skipped`. A mail may bounce after a server on its way took it: then it is
 * `failed`, even if it was reported as delivered.
 */
export const movedFrom: Record<ReceiptState | 'skipped' | 'bounced', readonly MessageState[]> = {
  queued: [],
  sent: ['queued', 'sending', 'unknown'],
  delivered: ['queued', 'sending', 'unknown', 'sent'],
  read: ['queued', 'sending', 'unknown', 'sent', 'delivered'],
  failed: ['queued', 'sending', 'unknown', 'sent'],
  skipped: ['queued', 'sending', 'unknown', 'sent'],
  bounced: ['queued', 'sending', 'unknown', 'sent', 'delivered'],
};

const canMove = Object.entries(movedFrom)
  .filter(([, from]) => from.length > 0)
  .map(([state, from]) => `(t.moves_to = '${state}' AND m.state IN (${listOfTexts(from)}))`)
  .join(' OR ');

// If one call has several receipts for a message, use the one that moves it furthest: UPDATE would pick any joined row.
const order = Object.keys(movedFrom)
  .map((state, index) => `WHEN '${state}' THEN ${index}`)
  .join(' ');

/** A bounce is no state of its own. */
const movedTo = `CASE t.moves_to WHEN 'bounced' THEN 'failed' ELSE t.moves_to END`;

const statement = `
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bytea[], $12::text[])
    g (receipt_id, app_id, integration_id, message_id, provider_message_id, state, reason, error_code, detail, body, identity, recipient)
), t AS (
  -- A receipt about an erased user would bring the address back.
  SELECT g.receipt_id, g.app_id, g.integration_id, g.state, g.reason, g.error_code, g.identity, m.id AS known_id,
    CASE WHEN g.state = 'failed' AND g.reason IN (${listOfTexts(expectedEnds)}) THEN 'skipped'
      WHEN g.state = 'failed' AND g.reason = 'bounced' THEN 'bounced' ELSE g.state END AS moves_to,
    CASE WHEN ${isErased('m')} THEN NULL ELSE g.provider_message_id END AS provider_message_id,
    CASE WHEN ${isErased('m')} THEN NULL ELSE g.detail END AS detail,
    CASE WHEN ${isErased('m')} THEN '{}' ELSE g.body END AS body
  FROM given g
  LEFT JOIN message m ON m.id = g.message_id AND m.app_id = g.app_id AND m.attempts > 0
    -- A report about a copy says nothing about the message's own address.
    AND (g.recipient IS NULL OR ${addressKey('m.channel', 'g.recipient')} = ${addressKey('m.channel', 'm.target')})
    AND CASE WHEN g.integration_id IS NULL THEN ${isAppChannel('m')}
      ELSE EXISTS (SELECT 1 FROM attempt a WHERE a.message_id = m.id AND a.integration_id = g.integration_id) END
), r AS (
  -- Sorted, so that two calls with the same reports cannot deadlock.
  INSERT INTO receipt (id, app_id, integration_id, message_id, provider_message_id, state, error_code, detail, body, identity)
  SELECT receipt_id, app_id, integration_id, known_id, provider_message_id, state, error_code, detail, body, identity FROM t
  ORDER BY identity
  ON CONFLICT (identity) DO NOTHING
  RETURNING id
), furthest AS (
  SELECT DISTINCT ON (known_id) t.* FROM t JOIN r ON r.id = t.receipt_id WHERE known_id IS NOT NULL
  ORDER BY known_id, CASE moves_to ${order} END DESC
), moved AS (
  UPDATE message m SET
    state = ${movedTo},
    reason = CASE WHEN t.state = 'failed' THEN coalesce(t.reason, 'rejected_recipient') END,
    notes = CASE WHEN t.state = 'failed'
      THEN coalesce(m.notes, '{}') || jsonb_strip_nulls(jsonb_build_object('receipt_code', t.error_code, 'receipt', t.detail))
      ELSE m.notes END,
    due_at = NULL, job_id = NULL, waits = NULL,
    settled_at = CASE WHEN ${movedTo} IN (${listOfTexts(finalStates)}) THEN coalesce(m.settled_at, now()) END
  FROM furthest t
  WHERE m.id = t.known_id AND (${canMove})
  RETURNING t.receipt_id, m.state
)
SELECT t.receipt_id, t.known_id, moved.state FROM t JOIN r ON r.id = t.receipt_id LEFT JOIN moved USING (receipt_id)`;

type EffectRow = { receipt_id: string; known_id: string | null; state: MessageState | null };

function columns(ids: string[], receipts: NewReceipt[]): unknown[] {
  const toColumn = (read: (receipt: NewReceipt) => unknown) => receipts.map(read);
  return [
    ids,
    toColumn(({ appId }) => appId),
    toColumn(({ integrationId }) => integrationId),
    toColumn(({ messageId }) => (messageId && isUuid(messageId) ? messageId : undefined)),
    toColumn(({ providerMessageId }) => storable(providerMessageId)),
    toColumn(({ state }) => state),
    toColumn(({ reason }) => reason),
    toColumn(({ errorCode }) => storable(errorCode)),
    toColumn(({ detail }) => storable(detail)),
    toColumn(({ body }) => body.replaceAll('\0', '\uFFFD')),
    toColumn(hashIdentity),
    toColumn(({ recipient }) => storable(recipient)),
  ];
}

/** A report repeats another one if message, integration and identity are equal. A hash keeps the report out of the column. */
function hashIdentity(receipt: NewReceipt): Buffer {
  const { appId, integrationId, messageId, identity, identifiesCall } = receipt;
  const named = identifiesCall ? null : messageId?.toLowerCase();
  const identityFields = [appId, integrationId, named, identity];
  return hash('sha256', JSON.stringify(identityFields), 'buffer');
}
