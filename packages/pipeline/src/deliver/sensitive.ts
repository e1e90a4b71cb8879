import { redact } from '@belfry/channels';
import type { Secrets } from '@belfry/runtime';
import type { Json } from '@belfry/shared';
import { openTexts } from '../accept/sealed-items';
import type { FinishedAttempt } from './attempt';
import type { ClaimedMessage } from './claim.sql';

/** A message of a sensitive event, with what it says in clear. */
export function openSensitive(message: ClaimedMessage, secrets: Secrets): ClaimedMessage {
  return { ...message, ...openTexts(message, message, secrets) };
}

/** What stands for all that a sensitive event said. */
export const hiddenText = '[sensitive]';

/** An attempt as it may be stored: without what was sent, nor what the provider repeated of it. */
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

/** Every text and number in a JSON text, as a provider may repeat it. */
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
