import type { SendResult } from '../channel';
import { classifyStatus, type HttpResponse, withDefaultWait } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import { findOnesignalCode, notSubscribed, type OnesignalCode, onesignalCodes } from './codes';
import { readOnesignalTarget } from './target';

export type Access = { target: string; key: string };

/** Classifies a response to `POST /notifications`. `response` is the part that may be stored. */
export function readOnesignalResponse(
  httpResult: HttpResponse | NetworkFailure,
  access: Access,
): SendResult {
  if ('isWritten' in httpResult) return { outcome: classifyFailure(httpResult) };
  const body = toRecord(parseJson(httpResult.body));
  const response = { status: httpResult.status, ...pickFields(body, access.key) };
  return {
    outcome: isSuccess(httpResult) ? readSuccess(body, access) : readRefusal(httpResult, body),
    response,
  };
}

/** The error texts of a response, whatever the shape of its errors. */
function readTexts(body: Record<string, unknown> | undefined): string[] {
  const { errors } = body ?? {};
  const listed = Array.isArray(errors) ? errors : [errors];
  return listed.flatMap((error) => {
    const { title, detail, message } = toRecord(error) ?? {};
    return [error, title, detail, message].filter((text) => typeof text === 'string');
  });
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

const maxIdCharacters = 128;

/** A 200 is a success only with an ID, and only when it does not list the target as unknown. */
function readSuccess(
  body: Record<string, unknown> | undefined,
  { target }: Access,
): SendResult['outcome'] {
  if (!body) return unreadable;
  const { id, errors } = body;
  const unknown = findUnknown(errors, target);
  if (unknown) return toOutcome(unknown, onesignalCodes[unknown]);
  const texts = readTexts(body);
  if (typeof id !== 'string' || id === '') return readNothingSent(body, texts);
  if (id.length > maxIdCharacters) return unreadable;
  const isPartial = texts.length > 0 || hasMembers(errors);
  return {
    outcome: 'accepted',
    providerMessageId: id,
    ...(isPartial
      ? { detail: 'OneSignal accepted the message, but reported errors with it.' }
      : {}),
  };
}

function readNothingSent(
  body: Record<string, unknown>,
  texts: readonly string[],
): SendResult['outcome'] {
  if (!('id' in body) && !('errors' in body)) return unreadable;
  const match = findOnesignalCode(texts);
  return match ? toOutcome(match.reason, match.code) : toOutcome('no_subscription', notSubscribed);
}

/**
 * Whether the target is in one of OneSignal's lists of unknown recipients, whatever the list's
 * name.
 */
function findUnknown(
  errors: unknown,
  target: string,
): 'invalid_aliases' | 'invalid_subscription' | undefined {
  const { invalid_aliases: aliases, ...lists } = toRecord(errors) ?? {};
  const isIn = (list: unknown, id: string) => Array.isArray(list) && list.includes(id);
  const read = readOnesignalTarget(target);
  if ('subscriptionId' in read) {
    const { invalid_player_ids: players, invalid_subscription_ids: subscriptions } = lists;
    const isUnknown = [players, subscriptions].some((list) => isIn(list, read.subscriptionId));
    return isUnknown ? 'invalid_subscription' : undefined;
  }
  const unknownIdLists = [toRecord(aliases)?.['external_id'], lists['invalid_external_user_ids']];
  return unknownIdLists.some((list) => isIn(list, target)) ? 'invalid_aliases' : undefined;
}

function hasMembers(errors: unknown): boolean {
  return Object.keys(toRecord(errors) ?? {}).length > 0;
}

const unreadable: FailedOutcome = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'OneSignal’s response could not be read, so the message may have been sent.',
};

const throttledMs = 60_000;

function readRefusal(
  { status, headers }: HttpResponse,
  body: Record<string, unknown> | undefined,
): FailedOutcome {
  const byStatus = classifyStatus(status, headers);
  if (byStatus.outcome === 'retry') {
    return withDefaultWait(byStatus, { status, waitMs: throttledMs });
  }
  if (byStatus.outcome === 'unknown') return byStatus;
  const match = findOnesignalCode(readTexts(body));
  if (match) return toOutcome(match.reason, match.code);
  return status === 409
    ? toOutcome('idempotency_conflict', onesignalCodes.idempotency_conflict)
    : byStatus;
}

function toOutcome(reason: string, code: OnesignalCode): FailedOutcome {
  const explanation = { reason, detail: code.sentence };
  if (code.outcome === 'retry') return { outcome: 'retry', ...explanation, afterMs: code.afterMs };
  const { scope, skip } = code;
  return { outcome: 'rejected', scope, ...explanation, ...(skip ? { skip } : {}) };
}

const maxTextCharacters = 300;
const maxTexts = 5;

/** The fields of a response that may be stored, cut and without the key. */
function pickFields(
  body: Record<string, unknown> | undefined,
  key: string,
): Record<string, unknown> {
  const { id, errors } = body ?? {};
  const clean = (text: string) => redact(text, [key]).slice(0, maxTextCharacters);
  const texts = readTexts(body).slice(0, maxTexts).map(clean);
  const names = Object.keys(toRecord(errors) ?? {})
    .slice(0, maxTexts)
    .map(clean);
  return {
    ...(typeof id === 'string' ? { id: clean(id) } : {}),
    ...(texts.length + names.length > 0 ? { errors: [...texts, ...names] } : {}),
  };
}
