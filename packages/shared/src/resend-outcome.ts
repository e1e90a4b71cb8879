import { type FailureReason, finalStates } from './message-state';

/** Why a message cannot be resent now. Each text is about one message or many. */
export const resendObstacles = {
  erased: 'The recipient was erased: there is no address.',
  sensitive: 'The event is sensitive: the content is not kept.',
  not_ended: 'Still waiting, or being sent. Wait until that ends, or cancel.',
  resent: 'Already resent. Resend the newest message instead.',
  no_integration:
    'Every integration of the channel was removed. Publish a version with another one, and call again.',
  suppressed:
    'The address is suppressed, so a resend would be skipped. Remove the suppression first.',
  opted_out:
    'The user turned notifications off, so a resend would be skipped. Only the user should turn them on.',
  device_gone:
    'The device is gone or belongs to another user, so a resend would be skipped. Call again for the current device.',
  unrenderable:
    'A resend would fail again: it keeps the version and the data. Correct the template or the data, and call again.',
} as const satisfies Record<string, string>;

export type ResendObstacle = keyof typeof resendObstacles;

/** Why a resend by filter did not resend a message. */
export const resendSkips = {
  ...resendObstacles,
  gone: 'Deleted by retention.',
  changed: 'Changed after the resend was confirmed: by a receipt, or by a separate resend.',
  cancelled: 'The resend was cancelled first.',
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
