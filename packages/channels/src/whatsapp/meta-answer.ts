import type { Outcome } from '@belfry/shared';
import type { SendResult } from '../channel';
import { type HttpAnswer, retryAfterMs, sortStatus } from '../http';
import { type NetworkFailure, sortFailure, type Unanswered } from '../network-failure';
import { membersOf, parseJson } from '../read-json';
import { redact } from '../redact';
import { changesOf, findMetaCode, outcomeOf } from './meta-codes';

export type Access = { sender: string; token: string };

/** What an answer to a send means; `response` is what may be kept of it. */
export function readSent(seen: HttpAnswer | NetworkFailure, access: Access): SendResult {
  if ('isWritten' in seen) return { outcome: sortFailure(seen) };
  const body = parseJson(seen.body);
  const sent = isSuccess(seen) ? findMessage(body) : undefined;
  if (sent) return accepted(sent);
  const refused = readRefusal(seen, access);
  return refused ?? { outcome: unreadable, response: { status: seen.status } };
}

/** Meta's no, whatever it was asked; undefined when it said yes. */
export function readRefusal(
  seen: HttpAnswer,
  { sender, token }: Access,
): (SendResult & { outcome: Unanswered }) | undefined {
  const error = membersOf(parseJson(seen.body))?.['error'];
  const fields = membersOf(error);
  const code = codeOf(fields);
  if (isSuccess(seen) && code === undefined) return undefined;
  const found = code === undefined ? undefined : findMetaCode(code);
  const changes = changesOf(found, sender);
  return {
    outcome: withWait(found && code ? outcomeOf(code, found) : unlisted(code, fields, seen), seen),
    response: { status: seen.status, ...(fields ? { error: keep(fields, token) } : {}) },
    ...(changes.length > 0 ? { changes } : {}),
  };
}

/** Meta's codes are numbers, here and in reports. */
export function codeOf(error: Record<string, unknown> | undefined): string | undefined {
  const code = error?.['code'];
  return typeof code === 'number' && Number.isSafeInteger(code) ? String(code) : undefined;
}

type Sent = { id: string; status: string | undefined };

function findMessage(body: unknown): Sent | undefined {
  const messages = membersOf(body)?.['messages'];
  const message = Array.isArray(messages) ? membersOf(messages[0]) : undefined;
  const id = message?.['id'];
  const status = message?.['message_status'];
  if (typeof id !== 'string' || id === '' || id.length > maxIdCharacters) return undefined;
  return { id, status: typeof status === 'string' ? status.slice(0, maxIdCharacters) : undefined };
}

const maxIdCharacters = 512;

function accepted({ id, status }: Sent): SendResult {
  const isHeld = status === 'held_for_quality_assessment';
  const outcome: Outcome = {
    outcome: 'accepted',
    providerMessageId: id,
    ...(isHeld ? { detail: 'Meta holds the message back until it has judged the template.' } : {}),
  };
  return {
    outcome,
    response: { messages: [{ id, ...(status ? { message_status: status } : {}) }] },
  };
}

const unreadable: Unanswered = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Meta’s answer could not be read, so the message may have been sent.',
};

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** A code that is not in the table: Meta says itself when another try helps; else the status decides, and a success with an error is one of the content. */
function unlisted(
  code: string | undefined,
  error: Record<string, unknown> | undefined,
  { status, headers }: HttpAnswer,
): Unanswered {
  if (code === undefined) return sortStatus(status, headers);
  const said = { reason: code, detail: `Meta refused the message with the code ${code}.` };
  if (error?.['is_transient'] === true) return { outcome: 'retry', ...said };
  const byStatus = status < 300 ? contentFault : sortStatus(status, headers);
  return { ...byStatus, ...said };
}

const contentFault: Unanswered = { outcome: 'rejected', scope: 'content', reason: '', detail: '' };

/** A wait that Meta names wins over ours. */
function withWait(outcome: Unanswered, { headers }: HttpAnswer): Unanswered {
  if (outcome.outcome !== 'retry') return outcome;
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? outcome : { ...outcome, afterMs };
}

const maxTextCharacters = 300;

/** What of an error may be stored: these fields, cut, and without the token. */
function keep(error: Record<string, unknown>, token: string): Record<string, unknown> {
  const text = (value: unknown) =>
    typeof value === 'string' ? redact(value, [token]).slice(0, maxTextCharacters) : undefined;
  const subcode = error['error_subcode'];
  const kept = {
    code: codeOf(error),
    error_subcode: typeof subcode === 'number' ? subcode : undefined,
    type: text(error['type']),
    message: text(error['message']),
    details: text(membersOf(error['error_data'])?.['details']),
    fbtrace_id: text(error['fbtrace_id']),
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}
