import { finalStates } from './message-state';

/** Why a message that a resend by filter named was not sent again. */
export const resendSkips = {
  gone: 'It was removed with time, as RETENTION_DAYS says.',
  erased: 'Its person was erased: there is no address any more.',
  sensitive: 'Its event is sensitive: what it said is not kept.',
  no_integration: 'Every integration of its channel was removed.',
  changed: 'It changed after it was confirmed: a report came, or it was sent again by itself.',
  cancelled: 'The run was cancelled before its turn.',
} as const satisfies Record<string, string>;

export type ResendSkip = keyof typeof resendSkips;

/** States of messages that may be sent again: those that have ended, and those of which nobody can know. */
export const resendableStates: readonly string[] = [...finalStates, 'unknown'];

/** One run takes so many messages, at most: a count beyond it is not made. */
export const maxMessagesPerResend = 10_000;

/** Messages a second of one run. */
export const resendPaces = [10, 50, 200] as const;

/** What stands in place of the address of a message whose person was erased. */
export function formatErasedTarget(messageId: string): string {
  return `erased:${messageId}`;
}
