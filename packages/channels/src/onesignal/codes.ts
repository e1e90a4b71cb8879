import type { ExpectedEnd, RejectionScope } from '@belfry/shared';

type Verdict =
  | { outcome: 'retry'; afterMs: number }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      /** Why the message is skipped: an expected end, not a failure. */
      skip?: ExpectedEnd;
    };

export type OnesignalCode = Verdict & {
  /** Matches OneSignal's texts for this error, in lower case; OneSignal has no codes. */
  texts?: RegExp;
  /** Shown to the operator. */
  sentence: string;
};

export const notSubscribed: OnesignalCode = {
  outcome: 'rejected',
  scope: 'recipient',
  skip: 'opted_out',
  texts: /not subscribed|no (?:valid )?(?:recipients|subscri)/,
  sentence: 'The person has no subscribed device, or OneSignal does not know the person.',
};

/** OneSignal's errors, in responses of any status. More specific texts come first. */
export const onesignalCodes = {
  no_subscription: notSubscribed,
  invalid_aliases: {
    outcome: 'rejected',
    scope: 'recipient',
    texts: /^invalid_aliases$/,
    sentence: 'OneSignal has no user with this external id.',
  },
  invalid_subscription: {
    outcome: 'rejected',
    scope: 'recipient',
    skip: 'device_gone',
    texts: /^invalid_player_ids$/,
    sentence:
      'OneSignal has no such subscription. The app was uninstalled, or the subscription belongs to another app.',
  },
  blocked_id: {
    outcome: 'rejected',
    scope: 'recipient',
    texts: /^(?=.*external_?id).*(?:restricted|blocked|not allowed)/s,
    sentence: 'OneSignal refuses this external id because it is a placeholder.',
  },
  wrong_app: {
    outcome: 'rejected',
    scope: 'integration',
    texts:
      /app_?id (?:is invalid|must|malformed)|no app with|^(?=.*app(?:_?id)? ).*(?:not found|disabled|suspended)/s,
    sentence: 'OneSignal has no such app, or the app is disabled. Check the app id.',
  },
  wrong_key: {
    outcome: 'rejected',
    scope: 'integration',
    texts: /authorization|api key|access denied/,
    sentence: 'OneSignal rejected the API key. Create a new key for the app and store it.',
  },
  no_platform: {
    outcome: 'rejected',
    scope: 'integration',
    texts:
      /no (?:push )?platforms? (?:is |are )?(?:configured|enabled)|^(?=.*must (?:be|have)).*configured/s,
    sentence: 'The app has no push platform in OneSignal. Set one up in its dashboard.',
  },
  in_progress: {
    outcome: 'retry',
    afterMs: 5_000,
    texts: /in progress|being processed/,
    sentence: 'OneSignal is still processing the first request for this message.',
  },
  idempotency_conflict: {
    outcome: 'rejected',
    scope: 'content',
    texts: /idempotency/,
    sentence: 'OneSignal already got a request for this message with other content.',
  },
} as const satisfies Record<string, OnesignalCode>;

/** The first row that matches one of the texts. */
export function findOnesignalCode(
  texts: readonly string[],
): { reason: string; code: OnesignalCode } | undefined {
  const rows: [string, OnesignalCode][] = Object.entries(onesignalCodes);
  const lowerCase = texts.map((text) => text.toLowerCase());
  const row = rows.find(([, code]) => lowerCase.some((text) => code.texts?.test(text)));
  return row && { reason: row[0], code: row[1] };
}
