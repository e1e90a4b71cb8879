import type { Actor } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { resendObstacles } from '@belfry/shared';
import type pg from 'pg';
import { writeGeneration } from './message-changes.sql';
import { judgeResends } from './resend-verdict.sql';

export type ResendInput = {
  appId: string;
  messageId: string;
  /** The operator confirmed the warning. */
  isConfirmed: boolean;
};

export type ResendResult =
  | { state: 'resent'; messageId: string; requestId: string; generation: number }
  | { state: 'not_found' }
  | { state: 'refused'; because: string }
  | { state: 'needs_confirmation'; warning: string };

/** Resends one message: creates a new message of the same request and item with the pinned version. The relay enqueues it. */
export async function resendMessage(
  pool: pg.Pool,
  actor: Actor,
  { appId, messageId, isConfirmed }: ResendInput,
): Promise<ResendResult> {
  const [message] = await judgeResends(pool, appId, [messageId]);
  if (!message) return { state: 'not_found' };
  const { obstacle, state, integrationId, timeToLiveMs } = message;
  if (obstacle) return { state: 'refused', because: resendObstacles[obstacle] };
  const warning = findResendWarning(state);
  if (warning && !isConfirmed) return { state: 'needs_confirmation', warning };
  const generation = { id: newId(), messageId, state, integrationId, timeToLiveMs };
  const newMessage = await writeGeneration(pool, actor, { appId, generation });
  if (!newMessage) return { state: 'refused', because: resendObstacles.resent };
  const { id, requestId, generation: number } = newMessage;
  return { state: 'resent', messageId: id, requestId, generation: number };
}

/** The warning that an operator must confirm before a resend, by the message's state. */
export function findResendWarning(state: string): string | undefined {
  return warnings[state];
}

const warnings: Record<string, string> = {
  delivered: 'This message was delivered: the recipient will get it twice.',
  read: 'This message was read: the recipient will get it twice.',
  sent: 'The provider accepted this message: the recipient may get it twice.',
  unknown: 'This message may have been sent: the recipient may get it twice.',
};
