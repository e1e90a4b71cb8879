import type { SendResult } from '../channel';
import { type HttpAnswer, sortStatus } from '../http';
import { type NetworkFailure, sortFailure, type Unanswered } from '../network-failure';
import { membersOf, parseJson } from '../read-json';
import { redact } from '../redact';
import { findOnesignalCode, notSubscribed, type OnesignalCode, onesignalCodes } from './codes';
import { readOnesignalTarget } from './target';

export type Access = { target: string; key: string };

/** What an answer to `POST /notifications` means; `response` is what may be kept of it. */
export function readOnesignalAnswer(seen: HttpAnswer | NetworkFailure, access: Access): SendResult {
  if ('isWritten' in seen) return { outcome: sortFailure(seen) };
  const body = membersOf(parseJson(seen.body));
  const response = { status: seen.status, ...keep(body, access.key) };
  return {
    outcome: isSuccess(seen) ? readSuccess(body, access) : readRefusal(seen, body),
    response,
  };
}

/** The texts of an answer, whatever form its errors have. */
function readTexts(body: Record<string, unknown> | undefined): string[] {
  const { errors } = body ?? {};
  const listed = Array.isArray(errors) ? errors : [errors];
  return listed.flatMap((error) => {
    const { title, detail, message } = membersOf(error) ?? {};
    return [error, title, detail, message].filter((text) => typeof text === 'string');
  });
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

const maxIdCharacters = 128;

/** A 200 is a yes only with an id, and only if it does not say that it knows the person not. */
function readSuccess(
  body: Record<string, unknown> | undefined,
  { target }: Access,
): SendResult['outcome'] {
  if (!body) return unreadable;
  const { id, errors } = body;
  const unknown = findUnknown(errors, target);
  if (unknown) return outcomeOf(unknown, onesignalCodes[unknown]);
  const texts = readTexts(body);
  if (typeof id !== 'string' || id === '') return readNothingSent(body, texts);
  if (id.length > maxIdCharacters) return unreadable;
  const isPartial = texts.length > 0 || hasMembers(errors);
  return {
    outcome: 'accepted',
    providerMessageId: id,
    ...(isPartial ? { detail: 'OneSignal took the message, and named errors beside it.' } : {}),
  };
}

function readNothingSent(
  body: Record<string, unknown>,
  texts: readonly string[],
): SendResult['outcome'] {
  if (!('id' in body) && !('errors' in body)) return unreadable;
  const found = findOnesignalCode(texts);
  return found ? outcomeOf(found.reason, found.code) : outcomeOf('no_subscription', notSubscribed);
}

/** Whether the target is in one of the lists of what OneSignal does not know, under whatever name it has for them. */
function findUnknown(
  errors: unknown,
  target: string,
): 'invalid_aliases' | 'invalid_subscription' | undefined {
  const { invalid_aliases: aliases, ...lists } = membersOf(errors) ?? {};
  const isIn = (list: unknown, id: string) => Array.isArray(list) && list.includes(id);
  const read = readOnesignalTarget(target);
  if ('subscriptionId' in read) {
    const { invalid_player_ids: players, invalid_subscription_ids: subscriptions } = lists;
    const isUnknown = [players, subscriptions].some((list) => isIn(list, read.subscriptionId));
    return isUnknown ? 'invalid_subscription' : undefined;
  }
  const named = [membersOf(aliases)?.['external_id'], lists['invalid_external_user_ids']];
  return named.some((list) => isIn(list, target)) ? 'invalid_aliases' : undefined;
}

function hasMembers(errors: unknown): boolean {
  return Object.keys(membersOf(errors) ?? {}).length > 0;
}

const unreadable: Unanswered = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'OneSignal’s answer could not be read, so the message may have been sent.',
};

const throttledMs = 60_000;

function readRefusal(
  { status, headers }: HttpAnswer,
  body: Record<string, unknown> | undefined,
): Unanswered {
  const byStatus = sortStatus(status, headers);
  if (byStatus.outcome === 'retry') {
    return status === 429 ? { afterMs: throttledMs, ...byStatus } : byStatus;
  }
  if (byStatus.outcome === 'unknown') return byStatus;
  const found = findOnesignalCode(readTexts(body));
  if (found) return outcomeOf(found.reason, found.code);
  return status === 409
    ? outcomeOf('idempotency_conflict', onesignalCodes.idempotency_conflict)
    : byStatus;
}

function outcomeOf(reason: string, code: OnesignalCode): Unanswered {
  const said = { reason, detail: code.sentence };
  if (code.outcome === 'retry') return { outcome: 'retry', ...said, afterMs: code.afterMs };
  const { scope, skip } = code;
  return { outcome: 'rejected', scope, ...said, ...(skip ? { skip } : {}) };
}

const maxTextCharacters = 300;
const maxTexts = 5;

/** What of an answer may be stored: these fields, cut, and without the key. */
function keep(body: Record<string, unknown> | undefined, key: string): Record<string, unknown> {
  const { id, errors } = body ?? {};
  const clean = (text: string) => redact(text, [key]).slice(0, maxTextCharacters);
  const texts = readTexts(body).slice(0, maxTexts).map(clean);
  const names = Object.keys(membersOf(errors) ?? {})
    .slice(0, maxTexts)
    .map(clean);
  return {
    ...(typeof id === 'string' ? { id: clean(id) } : {}),
    ...(texts.length + names.length > 0 ? { errors: [...texts, ...names] } : {}),
  };
}
