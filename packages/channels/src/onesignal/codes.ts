import type { ExpectedEnd, RejectionScope } from '@belfry/shared';

type Verdict =
  | { outcome: 'retry'; afterMs: number }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      /** Why the message is skipped: an expected end, and no failure. */
      skip?: ExpectedEnd;
    };

export type OnesignalCode = Verdict & {
  /** Matches the texts of OneSignal that mean this, in lower case; it has no codes. */
  texts?: RegExp;
  /** What the operator reads. */
  sentence: string;
};

export const notSubscribed: OnesignalCode = {
  outcome: 'rejected',
  scope: 'recipient',
  skip: 'opted_out',
  texts: /not subscribed|no (?:valid )?(?:recipients|subscri)/,
  sentence: 'The person has no device that takes notifications, or is not known to OneSignal.',
};

/** What OneSignal says, in answers of any status, its texts from the most telling to the least. */
export const onesignalCodes = {
  no_subscription: notSubscribed,
  invalid_aliases: {
    outcome: 'rejected',
    scope: 'recipient',
    texts: /^invalid_aliases$/,
    sentence: 'OneSignal knows nobody by this external id.',
  },
  invalid_subscription: {
    outcome: 'rejected',
    scope: 'recipient',
    skip: 'device_gone',
    texts: /^invalid_player_ids$/,
    sentence: 'OneSignal knows no such subscription: the app was removed, or it is of another app.',
  },
  blocked_id: {
    outcome: 'rejected',
    scope: 'recipient',
    texts: /^(?=.*external_?id).*(?:restricted|blocked|not allowed)/s,
    sentence: 'OneSignal refuses this external id: it stands for nobody.',
  },
  wrong_app: {
    outcome: 'rejected',
    scope: 'integration',
    texts:
      /app_?id (?:is invalid|must|malformed)|no app with|^(?=.*app(?:_?id)? ).*(?:not found|disabled|suspended)/s,
    sentence: 'OneSignal has no such app, or has disabled it: see the app id.',
  },
  wrong_key: {
    outcome: 'rejected',
    scope: 'integration',
    texts: /authorization|api key|access denied/,
    sentence: 'OneSignal does not take the API key: make a new one for the app and store it.',
  },
  no_platform: {
    outcome: 'rejected',
    scope: 'integration',
    texts:
      /no (?:push )?platforms? (?:is |are )?(?:configured|enabled)|^(?=.*must (?:be|have)).*configured/s,
    sentence: 'The app has no push platform in OneSignal: set one up there.',
  },
  in_progress: {
    outcome: 'retry',
    afterMs: 5_000,
    texts: /in progress|being processed/,
    sentence: 'OneSignal is still at work on the first request for this message.',
  },
  idempotency_conflict: {
    outcome: 'rejected',
    scope: 'content',
    texts: /idempotency/,
    sentence: 'OneSignal was asked for this message before, with other content.',
  },
} as const satisfies Record<string, OnesignalCode>;

/** The first row that one of the texts belongs to. */
export function findOnesignalCode(
  texts: readonly string[],
): { reason: string; code: OnesignalCode } | undefined {
  const rows: [string, OnesignalCode][] = Object.entries(onesignalCodes);
  const lowerCase = texts.map((text) => text.toLowerCase());
  const row = rows.find(([, code]) => lowerCase.some((text) => code.texts?.test(text)));
  return row && { reason: row[0], code: row[1] };
}
