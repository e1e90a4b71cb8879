/** Whom an item is for: the `user` object of the call merged over the stored user. */
export type Recipient = {
  userId?: string;
  email?: string;
  mobile?: string;
  whatsappMobile?: string;
  slack?: SlackRecipient;
  telegram?: { chatId: string };
  onesignalExternalId?: string;
  onesignalPlayerIds?: string[];
  fcmTokens?: string[];
  iosTokens?: string[];
  fcmTopics?: string[];
  /** Notification keys. */
  fcmDeviceGroups?: string[];
  /** Of the stored user: those that a provider can reach, and those that are switched off behind the others. */
  devices?: RecipientDevice[];
  preferences?: Preferences;
  /** Fields that a channel beyond the interface declares, under their wire names. */
  extra?: Record<string, unknown>;
};

export type RecipientDevice = {
  /** Its `device_sid`. */
  id: string;
  /** Of FCM. A device has it, a player id, or both. */
  token?: string;
  /** OneSignal's id of the subscription. */
  onesignalPlayerId?: string;
  /** Who switched it off, where somebody did: its own app, or a provider that called its token dead. */
  disabled?: 'by_client' | 'by_provider';
};

export type SlackRecipient = {
  /** Sealed from the moment it was read off the wire; only the Slack sender opens it. */
  accessToken?: string;
  channelId?: string;
  email?: string;
};

export type Preferences = {
  locale?: string;
  disabled?: boolean;
  channelPreferences?: Record<string, { disabled?: boolean }>;
};

/**
 * The stored user is the base; given fields win one by one, `slack`, `telegram` and `preferences` member by member.
 * Subscriptions of OneSignal that are given win over a stored external id, which would win over them otherwise.
 */
export function mergeRecipients(stored: Recipient, overrides: Recipient): Recipient {
  const merged: Recipient = { ...stored, ...overrides };
  if (overrides.onesignalPlayerIds && !overrides.onesignalExternalId)
    delete merged.onesignalExternalId;
  if (stored.slack && overrides.slack) merged.slack = { ...stored.slack, ...overrides.slack };
  if (stored.telegram && overrides.telegram) {
    merged.telegram = { ...stored.telegram, ...overrides.telegram };
  }
  if (stored.preferences && overrides.preferences) {
    merged.preferences = { ...stored.preferences, ...overrides.preferences };
  }
  if (stored.extra && overrides.extra) merged.extra = { ...stored.extra, ...overrides.extra };
  return merged;
}
