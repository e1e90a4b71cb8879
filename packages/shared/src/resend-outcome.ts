import { type FailureReason, finalStates } from './message-state';

/** Why a message cannot be resent now. */
export const resendObstacles = {
  erased: 'The recipient was erased: there is no address.',
  sensitive: 'The event is sensitive: its content is not kept.',
  not_ended: 'It still waits, or is being sent. Wait until it ends, or cancel it.',
  resent: 'It was already resent. Resend the newest message instead.',
  no_integration:
    'Every integration of its channel was removed. Publish a version with another one, and call again.',
  suppressed: 'Its address is suppressed, so it would be skipped. Remove the suppression first.',
  opted_out:
    'The user turned notifications off, so it would be skipped. Only the user can turn them on.',
  device_gone:
    'The device is gone or belongs to another user, so it would be skipped. Call again for the current device.',
  unrenderable:
    'It would fail again: a resend keeps the version and the data. Correct the template or the data, and call again.',
} as const satisfies Record<string, string>;

export type ResendObstacle = keyof typeof resendObstacles;

/** Why a resend by filter did not resend a message. */
export const resendSkips = {
  ...resendObstacles,
  gone: 'Retention deleted it (RETENTION_DAYS).',
  changed:
    'It changed after the resend was confirmed: a receipt arrived, or it was resent separately.',
  cancelled: 'The resend was cancelled before it reached this message.',
} as const satisfies Record<string, string>;

export type ResendSkip = keyof typeof resendSkips;

/** Failures of rendering. A resend renders the same template with the same data, so it fails in the same way. */
export const renderFailures: readonly FailureReason[] = [
  'missing_data',
  'empty_content',
  'too_long',
  'too_complex',
];

/** States of messages that can be resent: final ones, and unknown. */
export const resendableStates: readonly string[] = [...finalStates, 'unknown'];

/** Maximum number of messages of one resend; counting stops here. */
export const maxMessagesPerResend = 10_000;

/** Messages per second of one resend. */
export const resendPaces = [10, 50, 200] as const;

/** Replaces the address of a message whose recipient was erased. */
export function formatErasedTarget(messageId: string): string {
  return `erased:${messageId}`;
}
