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
  /** The state that the warning was about: another one needs another confirmation. */
  confirmedState?: string | undefined;
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
  { appId, messageId, isConfirmed, confirmedState }: ResendInput,
): Promise<ResendResult> {
  const [message] = await judgeResends(client, appId, [messageId]);
  if (!message) return { state: 'not_found' };
  const because = explainResendObstacle(message);
  if (because !== null) return { state: 'refused', because };
  const { state, integrationId, timeToLiveMs } = message;
  const warning = findVerdictWarning(message);
  const isSameState = confirmedState === undefined || confirmedState === state;
  if (warning && !(isConfirmed && isSameState)) return { state: 'needs_confirmation', warning };
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

/** The warning about duplicates of messages in a state: of one message, or of a number of them. */
export function findResendWarning(state: string, messages?: number): string | undefined {
  const fact = duplicateFacts[state];
  if (!fact) return undefined;
  const isOne = messages === undefined || messages === 1;
  const subject = messages === undefined ? 'This message' : formatMessages(messages);
  const person = isOne ? 'the recipient' : 'their recipients';
  return `${subject} ${isOne ? fact.one : fact.many}: ${person} ${fact.modal} get ${isOne ? 'it' : 'them'} twice.`;
}

function formatMessages(messages: number): string {
  return `${messages.toLocaleString('en-US')} ${messages === 1 ? 'message' : 'messages'}`;
}

const duplicateFacts: Record<string, { one: string; many: string; modal: 'will' | 'may' }> = {
  delivered: { one: 'was delivered', many: 'were delivered', modal: 'will' },
  read: { one: 'was read', many: 'were read', modal: 'will' },
  sent: {
    one: 'was accepted by the provider',
    many: 'were accepted by the provider',
    modal: 'may',
  },
  unknown: { one: 'may have been sent', many: 'may have been sent', modal: 'may' },
};
