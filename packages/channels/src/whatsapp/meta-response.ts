import type { Outcome } from '@belfry/shared';
import type { SendResult } from '../channel';
import { classifyStatus, type HttpResponse, retryAfterMs } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import { findMetaCode, getContactUpdates, toOutcome } from './meta-codes';

export type Access = { sender: string; token: string };

/** Classifies a response to a send. `response` is the part that may be stored. */
export function readSent(httpResult: HttpResponse | NetworkFailure, access: Access): SendResult {
  if ('isWritten' in httpResult) return { outcome: classifyFailure(httpResult) };
  const body = parseJson(httpResult.body);
  const sent = isSuccess(httpResult) ? findMessage(body) : undefined;
  if (sent) return accepted(sent);
  const refusal = readRefusal(httpResult, access);
  return refusal ?? { outcome: unreadable, response: { status: httpResult.status } };
}

/** Meta's refusal of any call; undefined on success. */
export function readRefusal(
  httpResponse: HttpResponse,
  { sender, token }: Access,
): (SendResult & { outcome: FailedOutcome }) | undefined {
  const error = toRecord(parseJson(httpResponse.body))?.['error'];
  const fields = toRecord(error);
  const code = getErrorCode(fields);
  if (isSuccess(httpResponse) && code === undefined) return undefined;
  const metaCode = code === undefined ? undefined : findMetaCode(code);
  const changes = getContactUpdates(metaCode, sender);
  return {
    outcome: withWait(
      metaCode && code ? toOutcome(code, metaCode) : unlisted(code, fields, httpResponse),
      httpResponse,
    ),
    response: {
      status: httpResponse.status,
      ...(fields ? { error: pickFields(fields, token) } : {}),
    },
    ...(changes.length > 0 ? { changes } : {}),
  };
}

/** Meta's codes are numbers, in responses and in reports. */
export function getErrorCode(error: Record<string, unknown> | undefined): string | undefined {
  const code = error?.['code'];
  return typeof code === 'number' && Number.isSafeInteger(code) ? String(code) : undefined;
}

type SentMessage = { id: string; status: string | undefined };

function findMessage(body: unknown): SentMessage | undefined {
  const messages = toRecord(body)?.['messages'];
  const message = Array.isArray(messages) ? toRecord(messages[0]) : undefined;
  const id = message?.['id'];
  const status = message?.['message_status'];
  if (typeof id !== 'string' || id === '' || id.length > maxIdCharacters) return undefined;
  return { id, status: typeof status === 'string' ? status.slice(0, maxIdCharacters) : undefined };
}

const maxIdCharacters = 512;

function accepted({ id, status }: SentMessage): SendResult {
  const isUnderReview = status === 'held_for_quality_assessment';
  const outcome: Outcome = {
    outcome: 'accepted',
    providerMessageId: id,
    ...(isUnderReview
      ? { detail: 'Meta holds the message until it has reviewed the template.' }
      : {}),
  };
  return {
    outcome,
    response: { messages: [{ id, ...(status ? { message_status: status } : {}) }] },
  };
}

const unreadable: FailedOutcome = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Meta’s response could not be read, so the message may have been sent.',
};

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/**
 * For an unlisted code, Meta's own flag tells whether a retry helps; otherwise the status decides.
 * An error with a success status blames the content.
 */
function unlisted(
  code: string | undefined,
  error: Record<string, unknown> | undefined,
  { status, headers }: HttpResponse,
): FailedOutcome {
  if (code === undefined) return classifyStatus(status, headers);
  const explanation = { reason: code, detail: `Meta refused the message with the code ${code}.` };
  if (error?.['is_transient'] === true) return { outcome: 'retry', ...explanation };
  const byStatus = status < 300 ? contentFault : classifyStatus(status, headers);
  return { ...byStatus, ...explanation };
}

const contentFault: FailedOutcome = {
  outcome: 'rejected',
  scope: 'content',
  reason: '',
  detail: '',
};

/** A wait in Meta's response takes precedence over the table's. */
function withWait(outcome: FailedOutcome, { headers }: HttpResponse): FailedOutcome {
  if (outcome.outcome !== 'retry') return outcome;
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? outcome : { ...outcome, afterMs };
}

const maxTextCharacters = 300;

/** The fields of an error that may be stored, cut and without the token. */
function pickFields(error: Record<string, unknown>, token: string): Record<string, unknown> {
  const text = (value: unknown) =>
    typeof value === 'string' ? redact(value, [token]).slice(0, maxTextCharacters) : undefined;
  const subcode = error['error_subcode'];
  const loggedFields = {
    code: getErrorCode(error),
    error_subcode: typeof subcode === 'number' ? subcode : undefined,
    type: text(error['type']),
    message: text(error['message']),
    details: text(toRecord(error['error_data'])?.['details']),
    fbtrace_id: text(error['fbtrace_id']),
  };
  return Object.fromEntries(
    Object.entries(loggedFields).filter(([, value]) => value !== undefined),
  );
}
