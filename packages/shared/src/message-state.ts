/** Every state of a message: whether it is final, and what it means to the person who reads the log. */
export const messageStates = {
  queued: { isFinal: false, means: 'Waits for its turn, its time or another try.' },
  sending: { isFinal: false, means: 'A worker is calling the provider.' },
  unknown: {
    isFinal: false,
    means: 'The provider was called and nobody can know whether it sent the message.',
  },
  sent: { isFinal: true, means: 'The provider took the message.' },
  delivered: { isFinal: true, means: 'The provider reported that the message arrived.' },
  read: { isFinal: true, means: 'The recipient opened the message.' },
  skipped: {
    isFinal: true,
    means: 'The message was not sent or not delivered, for an expected reason. It is no failure.',
  },
  failed: { isFinal: true, means: 'The message could not be sent.' },
} as const satisfies Record<string, { isFinal: boolean; means: string }>;

export type MessageState = keyof typeof messageStates;

/** Those that the messages of a request end in. */
export const finalStates: readonly string[] = Object.entries(messageStates)
  .filter(([, { isFinal }]) => isFinal)
  .map(([state]) => state);

/** Why a channel of an item, or a message, was skipped. */
export const skipReasons = {
  no_recipient: 'The request named nobody.',
  no_address: 'The recipient has no address for this channel.',
  invalid_address: 'The address breaks a rule of the channel.',
  unknown_user: 'The request names a user that is not stored, and no address beside it.',
  suppressed: 'The address bounced or opted out before.',
  opted_out: 'The recipient switched this channel off, unsubscribed or blocked the sender.',
  no_integration: 'The channel has no integration, or no credential for this recipient.',
  device_gone: 'The device or the account was removed, or the device moved to another user.',
  cancelled: 'An operator cancelled it.',
  erased: 'The person it was for was erased before it was sent.',
} as const satisfies Record<string, string>;

export type SkipReason = keyof typeof skipReasons;

/** Skip reasons that a provider reports: it refused the message, as was to be expected. */
export const expectedEnds = ['opted_out', 'device_gone'] as const satisfies readonly SkipReason[];

export type ExpectedEnd = (typeof expectedEnds)[number];

/** Why a message failed. */
export const failureReasons = {
  rejected_recipient: 'The provider refused the address.',
  rejected_content: 'The provider refused the content.',
  rejected_integration: 'The provider refused our credentials or our sender.',
  missing_data: 'The template reads a value that the request did not give.',
  empty_content: 'The text was empty after rendering.',
  too_long: 'The text is longer than the channel allows.',
  too_complex: 'Rendering its templates takes too much work for this data.',
  expired: 'Its time to live ended before it could be sent.',
  attempts_exhausted: 'Every allowed attempt was made.',
  integration_removed: 'The integration was removed while the message waited.',
} as const satisfies Record<string, string>;

export type FailureReason = keyof typeof failureReasons;

/** Why a message went by another integration of its chain, without a call to this one. */
export const failoverReasons = {
  needs_attention: 'The integration needs attention.',
  no_answer: 'The integration did not answer several times in a row.',
} as const satisfies Record<string, string>;

export type FailoverReason = keyof typeof failoverReasons;

/** One integration that a message passed over; `name` and `detail` are as they were then. */
export type Failover = { name: string; reason: FailoverReason; detail?: string; at: Date };

/** Whom a provider's refusal is about. */
export type RejectionScope = 'recipient' | 'content' | 'integration';

/** Why a provider's refusal ended a message: it failed, or it is skipped for an expected end. */
export type RefusalReason = `rejected_${RejectionScope}` | ExpectedEnd;

/** What an attempt came to. An expected failure is a value, never a throw. */
export type Outcome =
  | {
      outcome: 'accepted';
      providerMessageId: string;
      detail?: string;
      /** It is with the person already, as an inbox item is. */
      isDelivered?: true;
    }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      reason: string;
      detail?: string;
      /** The credential that was refused came with the call or the user, not from the integration. */
      ownToken?: boolean;
      /** Why the message is skipped, and not failed. */
      skip?: SkipReason;
    }
  /** Certainly not sent. */
  | {
      outcome: 'retry';
      reason: string;
      detail?: string;
      afterMs?: number;
      /** The provider asked for fewer calls: of this integration, or to this target. */
      slows?: 'integration' | 'target';
      /** How many attempts this reason is worth, where that is fewer than the version allows. */
      maxAttempts?: number;
    }
  /** Nobody can know whether it was sent. */
  | { outcome: 'unknown'; reason: string; detail?: string };

export type OutcomeKind = Outcome['outcome'];

/** What a provider may report later, in the order in which a message moves; `failed` ends it, unless it arrived. */
export const receiptStates = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;

export type ReceiptState = (typeof receiptStates)[number];

/** Why an address is on the list of those that must not be written to. */
export const suppressionReasons = {
  bounced: 'The address does not exist, or takes no messages of this kind.',
  opted_out: 'The recipient asked not to be written to.',
  manual: 'An operator put it on the list.',
} as const satisfies Record<string, string>;

export type SuppressionReason = keyof typeof suppressionReasons;

/** What a provider's answer tells about a message's address, beyond the message. */
export type ContactUpdate =
  | {
      change: 'suppress';
      reason: Exclude<SuppressionReason, 'manual'>;
      /** The sender that it holds for; empty for every sender of the app. */
      sender: string;
      detail?: string;
    }
  /** The address is another one now, as of a Telegram group that became a supergroup. */
  | {
      change: 'move_address';
      /** Where the stored user has it. */
      path: string[];
      to: string;
    }
  /** The push token is dead. */
  | { change: 'disable_device'; reason: string };
