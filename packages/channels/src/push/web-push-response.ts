import type { ContactUpdate } from '@belfry/shared';
import type { SendCall, SendResult } from '../channel';
import { notPublic } from '../guarded-http';
import { classifyStatus, type HttpResponse, retryAfterMs } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { blockedAddressCode } from '../public-address';
import { parseJson, toRecord } from '../read-json';
import { isKnownService, type WebPushCode, webPushCodes } from './web-push-codes';

/** Classifies the answer of a push service. `response` is the part that may be stored. */
export function readWebPushResponse(
  httpResult: HttpResponse | NetworkFailure,
  call: Pick<SendCall<unknown>, 'target' | 'messageId'>,
): SendResult {
  const isKnown = isKnownService(call.target);
  if ('isWritten' in httpResult) return { outcome: readFailure(httpResult, isKnown) };
  const { status } = httpResult;
  const response = { status, ...pickFields(httpResult) };
  if (status >= 200 && status < 300) {
    const providerMessageId = readMessageId(httpResult) ?? call.messageId;
    return { outcome: { outcome: 'accepted', providerMessageId }, response };
  }
  const match = findCode(httpResult);
  if (!match) return { outcome: spare(classifyStatus(status, httpResult.headers)), response };
  const { reason, code } = match;
  const changes: ContactUpdate[] =
    'isDead' in code && code.isDead ? [{ change: 'disable_device', reason }] : [];
  const outcome = toOutcome(match, httpResult);
  return {
    outcome: isKnown ? outcome : spare(outcome),
    response,
    ...(changes.length > 0 ? { changes } : {}),
  };
}

/** The endpoint must not be called. */
export function refuseEndpoint(detail: string): FailedOutcome {
  return { outcome: 'rejected', scope: 'recipient', reason: 'endpoint_refused', detail };
}

/** A circuit opens after timeouts in a row, so a failure of an unknown host has another reason than a timeout. */
function readFailure(failure: NetworkFailure, isKnown: boolean): FailedOutcome {
  if (failure.code === blockedAddressCode) return refuseEndpoint(`The endpoint ${notPublic}.`);
  const outcome = classifyFailure(failure);
  return isKnown ? outcome : spare({ ...outcome, reason: 'endpoint_unreachable' });
}

/** Without consequences for the integration: the endpoint may be anybody's server. */
function spare(outcome: FailedOutcome): FailedOutcome {
  switch (outcome.outcome) {
    case 'retry': {
      const { slows: _, ...rest } = outcome;
      return { ...rest, sparesIntegration: true };
    }
    case 'rejected':
      return outcome.scope === 'integration' ? { ...outcome, sparesIntegration: true } : outcome;
    case 'unknown':
      return outcome;
  }
}

type CodeMatch = { reason: string; code: WebPushCode };

function findCode({ status, body }: HttpResponse): CodeMatch | undefined {
  const rows: [string, WebPushCode][] = Object.entries(webPushCodes);
  const text = body.toString('utf8', 0, maxSearchedBytes);
  const row = rows.find(
    ([, code]) => code.statuses.includes(status) && (code.text?.test(text) ?? true),
  );
  return row && { reason: row[0], code: row[1] };
}

function toOutcome({ reason, code }: CodeMatch, { headers }: HttpResponse): FailedOutcome {
  const explanation = { reason, detail: code.sentence };
  if (code.outcome === 'retry') {
    const slows = code.slows ? { slows: code.slows } : {};
    const afterMs = retryAfterMs(headers, Date.now()) ?? code.afterMs;
    return { outcome: 'retry', ...explanation, ...slows, afterMs };
  }
  const { scope, skip, sparesIntegration } = code;
  return {
    outcome: 'rejected',
    scope,
    ...explanation,
    ...(skip ? { skip } : {}),
    ...(sparesIntegration ? { sparesIntegration } : {}),
  };
}

const maxSearchedBytes = 4_096;
const maxIdCharacters = 256;

/** The last part of the message's own URL (RFC 8030, section 5). */
function readMessageId({ headers }: HttpResponse): string | undefined {
  const { location } = headers;
  const id = location?.slice(location.lastIndexOf('/') + 1);
  const isId = id !== undefined && id.length <= maxIdCharacters && /^[\w%.:~=-]+$/.test(id);
  return isId ? id : undefined;
}

/** Mozilla's number and Apple's word for an error. Other texts may repeat the request. */
function pickFields({ body }: HttpResponse): { errno?: number; reason?: string } {
  const { errno, reason } = toRecord(parseJson(body)) ?? {};
  return {
    ...(Number.isInteger(errno) ? { errno: Number(errno) } : {}),
    ...(typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? { reason } : {}),
  };
}
