/** Every state of a message: whether it is final, and its meaning for readers of the log. */
export const messageStates = {
  queued: { isFinal: false, means: 'Waits for a worker, its due time or the next attempt.' },
  sending: { isFinal: false, means: 'A worker is calling the provider.' },
  unknown: {
    isFinal: false,
    means: 'The provider was called, and it is unknown whether it sent the message.',
  },
  sent: { isFinal: true, means: 'The provider accepted the message.' },
  delivered: { isFinal: true, means: 'The provider reported that the message arrived.' },
  read: { isFinal: true, means: 'The recipient opened the message.' },
  skipped: {
    isFinal: true,
    means:
      'The message was not sent or not delivered for an expected reason. This is not a failure.',
  },
  failed: { isFinal: true, means: 'The message could not be delivered.' },
} as const satisfies Record<string, { isFinal: boolean; means: string }>;

export type MessageState = keyof typeof messageStates;

/** The states in which messages end. */
export const finalStates: readonly string[] = Object.entries(messageStates)
  .filter(([, { isFinal }]) => isFinal)
  .map(([state]) => state);

/** Why a channel of an item, or a message, was skipped. */
export const skipReasons = {
  no_recipient: 'The request named no recipient.',
  no_address: 'The recipient has no address for this channel.',
  invalid_address: 'The address is not valid for this channel.',
  unknown_user: 'The request names a user that is not stored, and gives no address.',
  suppressed: 'The address is suppressed, or the provider refused the token of the device.',
  opted_out:
    'The recipient turned this off in the preferences, unsubscribed or blocked the sender.',
  no_integration: 'The channel has no integration, or no credential for this recipient.',
  device_gone:
    'The device, group or person’s account at the provider no longer exists, or the device belongs to another user.',
  cancelled: 'The caller or an operator cancelled it.',
  erased: 'The recipient was erased before the message was sent.',
} as const satisfies Record<string, string>;

export type SkipReason = keyof typeof skipReasons;

/** Expected refusals by a provider: the message is skipped, not failed. */
export const expectedEnds = ['opted_out', 'device_gone'] as const satisfies readonly SkipReason[];

export type ExpectedEnd = (typeof expectedEnds)[number];

/** Why a message failed. */
export const failureReasons = {
  rejected_recipient: 'The provider refused the address.',
  rejected_content: 'The provider refused the content.',
  rejected_integration: 'The provider refused our credentials or our sender.',
  bounced: 'The provider accepted the mail, and reported later that it did not arrive.',
  missing_data: 'The template uses a value that is missing from the data of the request.',
  empty_content: 'The text was empty after rendering.',
  too_long: 'The text is longer than the channel allows.',
  too_complex: 'Rendering the templates with this data exceeds the limit of work per message.',
  expired: 'It expired before it could be sent.',
  attempts_exhausted: 'Every allowed attempt was made.',
  integration_removed: 'The integration was removed while the message waited.',
} as const satisfies Record<string, string>;

export type FailureReason = keyof typeof failureReasons;

/** Why a queued message is due later, as stored with it. */
export const waitReasons = {
  schedule: 'The request scheduled it for later.',
  retry: 'The previous attempt failed.',
  paused: 'Its app, channel or integration is paused.',
  needs_attention: 'Its integration needs attention.',
  circuit: 'The circuit of its integration is open, because calls timed out.',
  limit: 'The rate limit of its integration is reached.',
  connections: 'All connections to the mail server are in use.',
} as const satisfies Record<string, string>;

export type WaitReason = keyof typeof waitReasons;

/** Why a queued message waits now; every queued message has one of these reasons. */
export const queueReasons = {
  due: 'It waits for a free worker.',
  ...waitReasons,
} as const satisfies Record<string, string>;

export type QueueReason = keyof typeof queueReasons;

// Safe cast: a constant object has exactly the keys of its type.
export const queueReasonNames = Object.keys(queueReasons) as QueueReason[];

/** Why a message was sent by the next integration of its chain without calling this one. */
export const failoverReasons = {
  needs_attention: 'The integration needs attention.',
  no_answer: 'The integration did not answer several calls in a row.',
} as const satisfies Record<string, string>;

export type FailoverReason = keyof typeof failoverReasons;

/** A failover past one integration; `name` and `detail` are as they were at that time. */
export type Failover = { name: string; reason: FailoverReason; detail?: string; at: Date };

/** The subject of a provider's refusal. */
export type RejectionScope = 'recipient' | 'content' | 'integration';

/** Why a provider's refusal or later bounce ended a message: it failed, or it was skipped for an expected reason. */
export type RefusalReason = `rejected_${RejectionScope}` | 'bounced' | ExpectedEnd;

/** Result of an attempt. An expected failure is a value, never a throw. */
export type Outcome =
  | {
      outcome: 'accepted';
      providerMessageId: string;
      detail?: string;
      /** The recipient has the message already, such as an inbox item. */
      isDelivered?: true;
    }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      reason: string;
      detail?: string;
      /** With scope `integration`: fails only this message, because the fault is not certainly the integration's own. */
      sparesIntegration?: boolean;
      /** Skips the message instead of failing it. */
      skip?: SkipReason;
    }
  /** Not sent, for certain. */
  | {
      outcome: 'retry';
      reason: string;
      detail?: string;
      afterMs?: number;
      /** The provider asked for fewer calls: for this integration, or to this target. */
      slows?: 'integration' | 'target';
      /** Maximum number of attempts for this reason, if lower than the version's limit. */
      maxAttempts?: number;
      /** The recipient or the content is the cause, so it says nothing about the integration. */
      sparesIntegration?: boolean;
    }
  /** Nobody knows whether it was sent. */
  | { outcome: 'unknown'; reason: string; detail?: string };

export type OutcomeKind = Outcome['outcome'];

/**
 * States that a provider can report later, in the order of a message's progress; `failed` is final unless the message
 * arrived. Only a bounce ends a message that was reported as delivered.
 */
export const receiptStates = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;

export type ReceiptState = (typeof receiptStates)[number];

/** Why an address is suppressed. */
export const suppressionReasons = {
  bounced: 'The address does not exist or does not accept such messages.',
  opted_out: 'The recipient opted out.',
  complained: 'The recipient reported a message as spam.',
  manual: 'An operator added it.',
} as const satisfies Record<string, string>;

export type SuppressionReason = keyof typeof suppressionReasons;

/** Where a suppression came from, who caused it, and whether it stops all messages or only those of optional events. */
export const suppressionSources = {
  manual: { scope: 'all', by: 'an operator', means: 'An operator added it.' },
  api: { scope: 'all', by: 'the API', means: 'The API added it.' },
  bounce: { scope: 'all', by: 'the provider', means: 'A message bounced.' },
  complaint: {
    scope: 'optional',
    by: 'the recipient',
    means: 'The recipient reported a message as spam.',
  },
  unsubscribe: { scope: 'optional', by: 'the recipient', means: 'The recipient unsubscribed.' },
  reply: {
    scope: 'optional',
    by: 'the recipient',
    means: 'The recipient replied with a keyword such as STOP, or blocked the sender.',
  },
} as const satisfies Record<string, { scope: SuppressionScope; by: string; means: string }>;

export type SuppressionScope = 'all' | 'optional';
export type SuppressionSource = keyof typeof suppressionSources;

/** The source of a reported suppression, if the report names none. */
export const usualSources = {
  bounced: 'bounce',
  opted_out: 'unsubscribe',
  complained: 'complaint',
} as const satisfies Record<Exclude<SuppressionReason, 'manual'>, SuppressionSource>;

/** The senders that a suppression is for, in words. Without a sender it is for every sender of the app. */
export function formatSuppressedSender(sender: string | null): string {
  return sender ? `the sender ${sender}` : 'every sender';
}

/** Names the operator who added or imported a suppression, else the party that its source names. */
export function formatSuppressor(source: string, addedBy: string | null): string {
  const parties: Record<string, { by: string }> = suppressionSources;
  return addedBy ?? parties[source]?.by ?? 'an unknown source';
}

/** A change to a contact that a provider's answer implies. */
export type ContactUpdate =
  | {
      change: 'suppress';
      reason: Exclude<SuppressionReason, 'manual'>;
      /** The sender that it applies to; empty for every sender of the app. */
      sender: string;
      /** Default: see `usualSources`. */
      source?: SuppressionSource;
      detail?: string;
      /** Suppresses only if so many messages of the last 7 days to the address bounced. */
      minBounces?: number;
    }
  /** The address changed, such as a Telegram group that became a supergroup. */
  | {
      change: 'move_address';
      /** Path of the address in the stored user. */
      path: string[];
      to: string;
    }
  /** The push token is no longer valid. */
  | { change: 'disable_device'; reason: string };

/** The meaning of the reason that a queued message waits for. */
export function explainWaitReason(waits: string): string {
  const meanings: Record<string, string> = queueReasons;
  return meanings[waits] ?? waits;
}
