import { redact } from '@belfry/channels';
import type { Secrets } from '@belfry/runtime';
import type { Json } from '@belfry/shared';
import { openTexts } from '../accept/sealed-items';
import type { ClaimedMessage } from './claim.sql';
import type { FinishedAttempt } from './next-state';

/** Opens the sealed texts of a sensitive event's message. */
export function openSensitive(message: ClaimedMessage, secrets: Secrets): ClaimedMessage {
  return { ...message, ...openTexts(message, message, secrets) };
}

/** Replaces the content of a sensitive event. */
export const hiddenText = '[sensitive]';

/** Removes the content, and the provider's copies of it, from an attempt before it is stored. */
export function hideSensitive(ended: FinishedAttempt, message: ClaimedMessage): FinishedAttempt {
  const { response: _, request, outcome, ...rest } = ended;
  const values = [...collectTexts(message.data), ...collectTexts(message.override)];
  return {
    ...rest,
    outcome:
      outcome.detail === undefined
        ? outcome
        : { ...outcome, detail: redact(outcome.detail, values) },
    ...(isOperation(request)
      ? { request: { operation: request.operation, body: hiddenText } }
      : {}),
    isSensitive: true,
  };
}

function isOperation(request: unknown): request is { operation: string } {
  return typeof request === 'object' && request !== null && 'operation' in request;
}

const maxTexts = 1_000;

/** Collects all strings and numbers in a JSON text, because a provider may repeat them. */
function collectTexts(json: string | undefined): string[] {
  const texts: string[] = [];
  const waiting: Json[] = json === undefined ? [] : [JSON.parse(json)];
  while (waiting.length > 0 && texts.length < maxTexts) {
    const value = waiting.pop();
    if (typeof value === 'string' || typeof value === 'number') texts.push(String(value));
    else if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value));
  }
  return texts;
}
