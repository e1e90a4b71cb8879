import type { ExpectedEnd, RejectionScope } from '@belfry/shared';

type Verdict =
  | { outcome: 'retry'; afterMs: number; slows?: 'target' }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      /** The token is dead for everyone. */
      isDead?: true;
      /** Why the message is skipped: an expected end, and no failure. */
      skip?: ExpectedEnd;
      /** What is refused is a key of one platform: the integration goes on for the others. */
      isOnePlatform?: true;
    };

export type FcmCode = Verdict & {
  /** What the operator reads. */
  sentence: string;
};

const minuteMs = 60_000;
const retryMs = 10_000;

/**
 * What FCM's own codes mean: `errorCode` of the detail of type FcmError. A status alone says nothing of a device: 404
 * is a project that is not there as well as a token that is dead.
 */
export const fcmCodes = {
  UNREGISTERED: {
    outcome: 'rejected',
    scope: 'recipient',
    isDead: true,
    skip: 'device_gone',
    sentence:
      'The app was removed from the device, or its token ran out: the device is switched off.',
  },
  INVALID_ARGUMENT: {
    outcome: 'rejected',
    scope: 'content',
    sentence: 'FCM refused the message: a field of it is wrong or too large.',
  },
  SENDER_ID_MISMATCH: {
    outcome: 'rejected',
    scope: 'recipient',
    sentence: 'The token belongs to another Firebase project than the integration.',
  },
  THIRD_PARTY_AUTH_ERROR: {
    outcome: 'rejected',
    scope: 'integration',
    isOnePlatform: true,
    sentence:
      'Apple or the browser’s push service refuses the key that the Firebase project has for it: see its Cloud Messaging settings.',
  },
  QUOTA_EXCEEDED: {
    outcome: 'retry',
    // FCM does not say which of them.
    slows: 'target',
    afterMs: minuteMs,
    sentence: 'FCM wants fewer messages from this project, or to this device or topic.',
  },
  UNAVAILABLE: { outcome: 'retry', afterMs: retryMs, sentence: 'FCM is overloaded.' },
  INTERNAL: {
    outcome: 'retry',
    afterMs: retryMs,
    sentence: 'FCM had a fault and did not take the message.',
  },
} as const satisfies Record<string, FcmCode>;

/** The words of FCM for a token that is none, whatever else the answer holds. */
export const invalidTokenMessage = 'The registration token is not a valid FCM registration token';

export const invalidToken: FcmCode = {
  outcome: 'rejected',
  scope: 'recipient',
  isDead: true,
  sentence: 'The token is none of FCM, or a piece of one: the device is switched off.',
};

/** What the statuses of Google mean where FCM says nothing itself: they are about us, and never about a device. */
export const googleStatuses = {
  INVALID_ARGUMENT: fcmCodes.INVALID_ARGUMENT,
  NOT_FOUND: {
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'There is no such Firebase project: see its id.',
  },
  PERMISSION_DENIED: {
    outcome: 'rejected',
    scope: 'integration',
    sentence:
      'The Cloud Messaging API is not enabled in the project, or the service account may not send with it.',
  },
  UNAUTHENTICATED: {
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'Google does not take the access token of the service account.',
  },
  RESOURCE_EXHAUSTED: fcmCodes.QUOTA_EXCEEDED,
  UNAVAILABLE: fcmCodes.UNAVAILABLE,
} as const satisfies Record<string, FcmCode>;
