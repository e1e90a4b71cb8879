import type { ExpectedEnd, RejectionScope } from '@belfry/shared';

type Verdict =
  | { outcome: 'retry'; afterMs: number; slows?: 'target' }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      /** The token is dead for every sender. */
      isDead?: true;
      /** Why the message is skipped: an expected end, not a failure. */
      skip?: ExpectedEnd;
      /** The error is about the key of one platform. The integration still works for the others. */
      isOnePlatform?: true;
    };

export type FcmCode = Verdict & {
  /** Shown to the operator. */
  sentence: string;
};

const minuteMs = 60_000;
const retryMs = 10_000;

/**
 * FCM's own error codes: `errorCode` of the detail of type FcmError. A status alone says nothing
 * about a device: 404 means a missing project as well as a dead token.
 */
export const fcmCodes = {
  UNREGISTERED: {
    outcome: 'rejected',
    scope: 'recipient',
    isDead: true,
    skip: 'device_gone',
    sentence: 'The app was uninstalled, or its token expired. The device is now switched off.',
  },
  INVALID_ARGUMENT: {
    outcome: 'rejected',
    scope: 'content',
    sentence: 'FCM refused the message because a field is invalid or too large.',
  },
  SENDER_ID_MISMATCH: {
    outcome: 'rejected',
    scope: 'recipient',
    sentence: 'The token belongs to a Firebase project other than the integration’s.',
  },
  THIRD_PARTY_AUTH_ERROR: {
    outcome: 'rejected',
    scope: 'integration',
    isOnePlatform: true,
    sentence:
      'Apple or the browser’s push service refuses the key of the Firebase project. Check its Cloud Messaging settings.',
  },
  QUOTA_EXCEEDED: {
    outcome: 'retry',
    // FCM does not say which of them.
    slows: 'target',
    afterMs: minuteMs,
    sentence: 'FCM asks for fewer messages from this project, or to this device or topic.',
  },
  UNAVAILABLE: { outcome: 'retry', afterMs: retryMs, sentence: 'FCM is overloaded.' },
  INTERNAL: {
    outcome: 'retry',
    afterMs: retryMs,
    sentence: 'FCM had a fault and did not accept the message.',
  },
} as const satisfies Record<string, FcmCode>;

/** FCM's text for an invalid token, whatever else the response contains. */
export const invalidTokenMessage = 'The registration token is not a valid FCM registration token';

export const invalidToken: FcmCode = {
  outcome: 'rejected',
  scope: 'recipient',
  isDead: true,
  sentence: 'The token is not a valid FCM token, or is truncated. The device is now switched off.',
};

/**
 * Google's statuses when FCM gives no code of its own. They concern our request, never a device.
 */
export const googleStatuses = {
  INVALID_ARGUMENT: fcmCodes.INVALID_ARGUMENT,
  NOT_FOUND: {
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'The Firebase project does not exist. Check the project id.',
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
    sentence: 'Google rejected the access token of the service account.',
  },
  RESOURCE_EXHAUSTED: fcmCodes.QUOTA_EXCEEDED,
  UNAVAILABLE: fcmCodes.UNAVAILABLE,
} as const satisfies Record<string, FcmCode>;
