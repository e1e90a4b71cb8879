import type { ExpectedEnd, RejectionScope } from '@belfry/shared';

type Verdict =
  | { outcome: 'retry'; afterMs: number; slows?: 'target' }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      /** The subscription is of no more use, so its device is switched off. */
      isDead?: true;
      skip?: ExpectedEnd;
      /** Fails only this message. */
      sparesIntegration?: true;
    };

export type WebPushCode = Verdict & {
  statuses: readonly number[];
  /** Text of the response, if the status has several meanings. */
  text?: RegExp;
  /** Shown to the operator. */
  sentence: string;
};

const minuteMs = 60_000;
const retryMs = 10_000;
const gone = {
  outcome: 'rejected',
  scope: 'recipient',
  isDead: true,
  skip: 'device_gone',
} as const;

/**
 * The answers of push services. The first row that matches counts. Sources: RFC 8030 and 8292;
 * autopush is Mozilla's service (mozilla-services.github.io/autopush-rs/errors.html).
 */
export const webPushCodes = {
  // FCM: 403 "the VAPID credentials … do not correspond to the credentials used to create the
  // subscriptions" (web-push-libs/web-push#457), formerly 400 UnauthorizedRegistration (#237).
  // Apple: 400 VapidPkHashMismatch.
  other_key: {
    ...gone,
    statuses: [400, 401, 403],
    text: /do not correspond to the credentials|UnauthorizedRegistration|VapidPkHashMismatch/,
    sentence:
      'The browser subscribed with another public key. The device is switched off until the page subscribes again.',
  },
  // RFC 8030, section 7.3; autopush errno 102.
  expired: {
    ...gone,
    statuses: [404],
    sentence: 'The subscription has expired. The device is now switched off.',
  },
  // autopush errno 103, 105, 106; FCM and Apple after the permission was revoked.
  gone: {
    ...gone,
    statuses: [410],
    sentence: 'The browser ended the subscription. The device is now switched off.',
  },
  // RFC 8292, section 4.2; autopush errno 109; Apple BadJwtToken. Belfry makes the keys and the
  // token, so nearly always the browser subscribed with another key. Anybody who can sign in can
  // add such a device: it must not stop the messages of others.
  vapid_refused: {
    outcome: 'rejected',
    scope: 'integration',
    sparesIntegration: true,
    statuses: [401, 403],
    sentence:
      'The push service refused the VAPID token: the browser subscribed with another public key, or the contact or this machine’s clock is wrong.',
  },
  // autopush errno 101, 108, 110 to 113.
  bad_request: {
    outcome: 'rejected',
    scope: 'content',
    statuses: [400],
    sentence: 'The push service refused the request as malformed.',
  },
  // RFC 8030, section 7.2; autopush errno 104.
  payload_too_large: {
    outcome: 'rejected',
    scope: 'content',
    statuses: [413],
    sentence: 'The message is too large for this push service.',
  },
  // RFC 8030, section 8.4; autopush errno 201. 406 is Windows' throttle limit
  // (learn.microsoft.com/windows/apps/develop/notifications/push-notifications/push-request-response-headers).
  throttled: {
    outcome: 'retry',
    slows: 'target',
    afterMs: minuteMs,
    statuses: [406, 429],
    sentence: 'The push service asks for fewer messages.',
  },
  // autopush errno 201, 202, 900 to 903, 999. A resent message replaces the first one by its topic.
  server_fault: {
    outcome: 'retry',
    afterMs: retryMs,
    statuses: [500, 502, 503, 504],
    sentence: 'The push service has a fault.',
  },
} as const satisfies Record<string, WebPushCode>;

/** Hosts of the push services of browsers. Only their answers may say something about an integration. */
const services = ['fcm.googleapis.com', 'updates.push.services.mozilla.com', 'web.push.apple.com'];
const serviceDomains = ['.notify.windows.com', '.push.apple.com', '.push.services.mozilla.com'];

/** Other endpoints may be anybody's server: a user adds them with a device. */
export function isKnownService(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return services.includes(hostname) || serviceDomains.some((domain) => hostname.endsWith(domain));
}
