import type { DataChange } from '@belfry/shared';
import type { SendResult } from '../channel';
import { type HttpAnswer, retryAfterMs, sortStatus } from '../http';
import { type NetworkFailure, sortFailure, type Unanswered } from '../network-failure';
import { membersOf, parseJson } from '../read-json';
import { redact } from '../redact';
import {
  type FcmCode,
  fcmCodes,
  googleStatuses,
  invalidToken,
  invalidTokenMessage,
} from './fcm-codes';

/** What an answer to `messages:send` means; `response` is what may be kept of it. */
export function readFcmAnswer(seen: HttpAnswer | NetworkFailure, accessToken: string): SendResult {
  if ('isWritten' in seen) return { outcome: sortFailure(seen) };
  const body = parseJson(seen.body);
  const name = membersOf(body)?.['name'];
  if (isSuccess(seen)) {
    if (typeof name !== 'string' || !messageName.test(name)) return unreadable(seen);
    return {
      outcome: { outcome: 'accepted', providerMessageId: name },
      response: { name },
    };
  }
  return refusalOf(seen, membersOf(membersOf(body)?.['error']), accessToken);
}

/** Google wants another access token, and says nothing about the message. */
export function isTokenRefused(seen: HttpAnswer | NetworkFailure): boolean {
  if ('isWritten' in seen || seen.status !== 401) return false;
  const error = membersOf(membersOf(parseJson(seen.body))?.['error']);
  return fcmErrorCodeOf(error) === undefined;
}

/** `projects/<project>/messages/<id>` */
const messageName = /^projects\/[\w-]{1,64}\/messages\/[\w:.%-]{1,256}$/;

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

function unreadable({ status }: HttpAnswer): SendResult {
  return {
    outcome: {
      outcome: 'unknown',
      reason: 'unreadable_answer',
      detail: 'FCM’s answer could not be read, so the message may have been sent.',
    },
    response: { status },
  };
}

function refusalOf(
  seen: HttpAnswer,
  error: Record<string, unknown> | undefined,
  accessToken: string,
): SendResult {
  const response = { status: seen.status, ...(error ? { error: keep(error, accessToken) } : {}) };
  const found = findCode(error);
  if (!found)
    return { outcome: withDefaultWait(sortStatus(seen.status, seen.headers), seen), response };
  const { reason, code } = found;
  const changes: DataChange[] =
    'isDead' in code && code.isDead ? [{ change: 'disable_device', reason }] : [];
  return {
    outcome: outcomeOf(reason, code, seen),
    response,
    ...(changes.length > 0 ? { changes } : {}),
  };
}

type FoundCode = { reason: string; code: FcmCode };

function findCode(error: Record<string, unknown> | undefined): FoundCode | undefined {
  if (!error) return undefined;
  const message = error['message'];
  const own = fcmErrorCodeOf(error);
  const isAboutArgument = (own ?? error['status']) === 'INVALID_ARGUMENT';
  if (isAboutArgument && typeof message === 'string' && message.startsWith(invalidTokenMessage)) {
    return { reason: 'invalid_token', code: invalidToken };
  }
  return own === undefined ? lookUp(googleStatuses, error['status']) : lookUp(fcmCodes, own);
}

function lookUp(table: Record<string, FcmCode>, name: unknown): FoundCode | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(table, name)) return undefined;
  const code = table[name];
  return code && { reason: name.toLowerCase(), code };
}

const fcmErrorType = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';

/** A code of FCM's own, also one that is not in the table. */
function fcmErrorCodeOf(error: Record<string, unknown> | undefined): string | undefined {
  const details = error?.['details'];
  if (!Array.isArray(details)) return undefined;
  for (const detail of details.map(membersOf)) {
    const code = detail?.['errorCode'];
    if (detail?.['@type'] === fcmErrorType && typeof code === 'string') return code;
  }
  return undefined;
}

function outcomeOf(reason: string, code: FcmCode, { headers }: HttpAnswer): Unanswered {
  const said = { reason, detail: code.sentence };
  if (code.outcome === 'retry') {
    const waitMs = retryAfterMs(headers, Date.now()) ?? code.afterMs;
    const slows = code.slows ? { slows: code.slows } : {};
    return { outcome: 'retry', ...said, ...slows, afterMs: Math.max(waitMs, minWaitMs) };
  }
  const { scope, isOnePlatform, skip } = code;
  return {
    outcome: 'rejected',
    scope,
    ...said,
    ...(isOnePlatform ? { ownToken: true } : {}),
    ...(skip ? { skip } : {}),
  };
}

/** FCM asks callers to wait at least so long. */
const minWaitMs = 10_000;

function withDefaultWait(outcome: Unanswered, { status }: HttpAnswer): Unanswered {
  if (outcome.outcome !== 'retry' || outcome.afterMs !== undefined || status !== 429)
    return outcome;
  return { ...outcome, afterMs: fcmCodes.QUOTA_EXCEEDED.afterMs };
}

const maxTextCharacters = 300;
const maxViolations = 5;

/** What of an error may be stored: these fields, cut, and without the token. */
function keep(error: Record<string, unknown>, accessToken: string): Record<string, unknown> {
  const text = (value: unknown) =>
    typeof value === 'string'
      ? redact(value, [accessToken]).slice(0, maxTextCharacters)
      : undefined;
  const details = Array.isArray(error['details']) ? error['details'].map(membersOf) : [];
  const violations = details
    .flatMap((detail) =>
      Array.isArray(detail?.['fieldViolations']) ? detail['fieldViolations'] : [],
    )
    .slice(0, maxViolations)
    .map((violation) => text(membersOf(violation)?.['description']));
  const kept = {
    status: text(error['status']),
    message: text(error['message']),
    errorCode: text(fcmErrorCodeOf(error)),
    violations: violations.length > 0 ? violations : undefined,
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}
