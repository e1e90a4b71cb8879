import type { ContactUpdate } from '@belfry/shared';
import type { SendResult } from '../channel';
import { classifyStatus, type HttpResponse, retryAfterMs, withDefaultWait } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import {
  type FcmCode,
  fcmCodes,
  googleStatuses,
  invalidToken,
  invalidTokenMessage,
} from './fcm-codes';

/** Classifies a response to `messages:send`. `response` is the part that may be stored. */
export function readFcmResponse(
  httpResult: HttpResponse | NetworkFailure,
  accessToken: string,
): SendResult {
  if ('isWritten' in httpResult) return { outcome: classifyFailure(httpResult) };
  const body = parseJson(httpResult.body);
  const name = toRecord(body)?.['name'];
  if (isSuccess(httpResult)) {
    if (typeof name !== 'string' || !messageName.test(name)) return unreadable(httpResult);
    return {
      outcome: { outcome: 'accepted', providerMessageId: name },
      response: { name },
    };
  }
  return readRefusal(httpResult, toRecord(toRecord(body)?.['error']), accessToken);
}

/** Google wants a new access token; this says nothing about the message. */
export function isTokenRefused(httpResult: HttpResponse | NetworkFailure): boolean {
  if ('isWritten' in httpResult || httpResult.status !== 401) return false;
  const error = toRecord(toRecord(parseJson(httpResult.body))?.['error']);
  return findFcmErrorCode(error) === undefined;
}

/** `projects/<project>/messages/<id>` */
const messageName = /^projects\/[\w-]{1,64}\/messages\/[\w:.%-]{1,256}$/;

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function unreadable({ status }: HttpResponse): SendResult {
  return {
    outcome: {
      outcome: 'unknown',
      reason: 'unreadable_answer',
      detail: 'FCM’s response could not be read, so the message may have been sent.',
    },
    response: { status },
  };
}

function readRefusal(
  httpResponse: HttpResponse,
  error: Record<string, unknown> | undefined,
  accessToken: string,
): SendResult {
  const { status, headers } = httpResponse;
  const response = {
    status,
    ...(error ? { error: pickFields(error, accessToken) } : {}),
  };
  const match = findCode(error);
  if (!match) {
    const waitMs = fcmCodes.QUOTA_EXCEEDED.afterMs;
    return {
      outcome: withDefaultWait(classifyStatus(status, headers), { status, waitMs }),
      response,
    };
  }
  const { reason, code } = match;
  const changes: ContactUpdate[] =
    'isDead' in code && code.isDead ? [{ change: 'disable_device', reason }] : [];
  return {
    outcome: toOutcome(reason, code, httpResponse),
    response,
    ...(changes.length > 0 ? { changes } : {}),
  };
}

type CodeMatch = { reason: string; code: FcmCode };

function findCode(error: Record<string, unknown> | undefined): CodeMatch | undefined {
  if (!error) return undefined;
  const message = error['message'];
  const own = findFcmErrorCode(error);
  const isAboutArgument = (own ?? error['status']) === 'INVALID_ARGUMENT';
  if (isAboutArgument && typeof message === 'string' && message.startsWith(invalidTokenMessage)) {
    return { reason: 'invalid_token', code: invalidToken };
  }
  return own === undefined ? lookUp(googleStatuses, error['status']) : lookUp(fcmCodes, own);
}

function lookUp(table: Record<string, FcmCode>, name: unknown): CodeMatch | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(table, name)) return undefined;
  const code = table[name];
  return code && { reason: name.toLowerCase(), code };
}

const fcmErrorType = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';

/** FCM's own code, even if it is not in the table. */
function findFcmErrorCode(error: Record<string, unknown> | undefined): string | undefined {
  const details = error?.['details'];
  if (!Array.isArray(details)) return undefined;
  for (const detail of details.map(toRecord)) {
    const code = detail?.['errorCode'];
    if (detail?.['@type'] === fcmErrorType && typeof code === 'string') return code;
  }
  return undefined;
}

function toOutcome(reason: string, code: FcmCode, { headers }: HttpResponse): FailedOutcome {
  const explanation = { reason, detail: code.sentence };
  if (code.outcome === 'retry') {
    const waitMs = retryAfterMs(headers, Date.now()) ?? code.afterMs;
    const slows = code.slows ? { slows: code.slows } : {};
    return { outcome: 'retry', ...explanation, ...slows, afterMs: Math.max(waitMs, minWaitMs) };
  }
  const { scope, isOnePlatform, skip } = code;
  return {
    outcome: 'rejected',
    scope,
    ...explanation,
    ...(isOnePlatform ? { sparesIntegration: true } : {}),
    ...(skip ? { skip } : {}),
  };
}

/** FCM asks callers to wait at least 10 s. */
const minWaitMs = 10_000;

const maxTextCharacters = 300;
const maxViolations = 5;

/** The fields of an error that may be stored, cut and without the token. */
function pickFields(error: Record<string, unknown>, accessToken: string): Record<string, unknown> {
  const text = (value: unknown) =>
    typeof value === 'string'
      ? redact(value, [accessToken]).slice(0, maxTextCharacters)
      : undefined;
  const details = Array.isArray(error['details']) ? error['details'].map(toRecord) : [];
  const violations = details
    .flatMap((detail) =>
      Array.isArray(detail?.['fieldViolations']) ? detail['fieldViolations'] : [],
    )
    .slice(0, maxViolations)
    .map((violation) => text(toRecord(violation)?.['description']));
  const fields = {
    status: text(error['status']),
    message: text(error['message']),
    errorCode: text(findFcmErrorCode(error)),
    violations: violations.length > 0 ? violations : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
