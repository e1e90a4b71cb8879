import { type Actor, inTransaction, type Queryable, writeAudit } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { explainWaitReason, resendObstacles } from '@belfry/shared';
import type pg from 'pg';
import { explainSuppression } from './explain-suppression';
import { lockMessage } from './message-changes.sql';
import { judgeResends, type ResendVerdict } from './resend-verdict.sql';
import { writeGenerations } from './write-generations.sql';

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
  input: ResendInput,
): Promise<ResendResult> {
  return inTransaction(pool, async (client) => {
    await lockMessage(client, input);
    return resendLocked(client, actor, input);
  });
}

/** The verdict stays true until the new message is written, because the old one is locked. */
async function resendLocked(
  client: Queryable,
  actor: Actor,
  { appId, messageId, isConfirmed }: ResendInput,
): Promise<ResendResult> {
  const [message] = await judgeResends(client, appId, [messageId]);
  if (!message) return { state: 'not_found' };
  const because = explainResendObstacle(message);
  if (because !== null) return { state: 'refused', because };
  const { state, integrationId, timeToLiveMs } = message;
  const warning = findVerdictWarning(message);
  if (warning && !isConfirmed) return { state: 'needs_confirmation', warning };
  const generation = { id: newId(), messageId, state, integrationId, timeToLiveMs };
  const context = { appId, resendId: undefined };
  const [newMessage] = await writeGenerations(client, context, [generation]);
  if (!newMessage) return { state: 'refused', because: resendObstacles.resent };
  const { id, requestId, generation: number } = newMessage;
  const entry = { action: 'message.resent', subject: messageId, change: { message: id } };
  await writeAudit(client, { ...actor, appId }, entry);
  return { state: 'resent', messageId: id, requestId, generation: number };
}

/** Why the message cannot be resent, and what to do first; null if it can. */
export function explainResendObstacle({
  obstacle,
  suppression,
}: Pick<ResendVerdict, 'obstacle' | 'suppression'>): string | null {
  if (obstacle !== 'suppressed' || suppression === null) {
    return obstacle && resendObstacles[obstacle];
  }
  const { what, remedy } = explainSuppression(suppression);
  return `${what} ${remedy}`;
}

/** The warning that an operator must confirm before a resend: it may arrive twice, or it would wait. */
export function findVerdictWarning({
  state,
  waits,
}: Pick<ResendVerdict, 'state' | 'waits'>): string | undefined {
  const wait = waits && `${explainWaitReason(waits)} The new message waits until that ends.`;
  return [findResendWarning(state), wait].filter(Boolean).join(' ') || undefined;
}

/** The warning about a duplicate, by the message's state. */
export function findResendWarning(state: string): string | undefined {
  return warnings[state];
}

const warnings: Record<string, string> = {
  delivered: 'This message was delivered: the recipient will get it twice.',
  read: 'This message was read: the recipient will get it twice.',
  sent: 'The provider accepted this message: the recipient may get it twice.',
  unknown: 'This message may have been sent: the recipient may get it twice.',
};
