/** The recipient of an item: the `user` object of the request merged over the stored user. */
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
  /** Notification keys of FCM. */
  fcmDeviceGroups?: string[];
  /** Devices of the stored user: reachable ones first, then disabled ones. */
  devices?: RecipientDevice[];
  preferences?: Preferences;
  /** Fields that a channel declares beyond the interface, under their wire names. */
  extra?: Record<string, unknown>;
};

export type RecipientDevice = {
  /** Its `device_sid`. */
  id: string;
  /** FCM token. A device has a token, a player id, or both. */
  token?: string;
  /** OneSignal subscription id. */
  onesignalPlayerId?: string;
  /** Set if the client app disabled it, or a provider reported a dead token. */
  disabled?: 'by_client' | 'by_provider';
};

export type SlackRecipient = {
  /** Sealed when it is read from the wire; only the Slack sender opens it. */
  accessToken?: string;
  channelId?: string;
  email?: string;
};

export type Preferences = {
  locale?: string;
  disabled?: boolean;
  channelPreferences?: Record<string, { disabled?: boolean }>;
  /** By slug. */
  categories?: Record<string, CategoryPreferences>;
};

export type CategoryPreferences = Pick<Preferences, 'disabled' | 'channelPreferences'>;

/**
 * Merges fields one by one, and `slack`, `telegram` and `preferences` member by member. OneSignal subscriptions in the
 * request remove a stored external id, which would otherwise win over them.
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
