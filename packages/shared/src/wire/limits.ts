/** Size limits of request fields; error messages name them. */
export const limits = {
  eventCharacters: 128,
  userIdCharacters: 255,
  emailCharacters: 254,
  phoneCharacters: 32,
  pushTokenCharacters: 4_096,
  /** An endpoint of web push. It must fit into an index of PostgreSQL. */
  pushEndpointCharacters: 2_048,
  /** Firebase's limit of a topic name. */
  pushTopicCharacters: 900,
  /** Topics of one call of a browser SDK: each is a call to FCM. */
  topicsOfCall: 20,
  tokensOfRecipient: 100,
  slackTokenCharacters: 512,
  /** Ids of other services: Slack channels, Telegram chats, OneSignal users. */
  identifierCharacters: 255,
  /** The longest language tag of RFC 5646, section 4.4.1. */
  localeCharacters: 35,
  channelPreferencesBytes: 16 * 1024,
  categoryPreferencesBytes: 32 * 1024,
  categorySlugCharacters: 64,
  scheduleCharacters: 64,
  dataBytes: 256 * 1024,
  metadataKeys: 50,
  metadataKeyCharacters: 64,
  metadataValueCharacters: 500,
  cancelKeyCharacters: 255,
  /** User IDs that one cancel names. */
  cancelUsers: 1_000,
  webhookUrlCharacters: 2_048,
  webhookDescriptionCharacters: 500,
} as const;

/** The longest `key:value`, as the log finds metadata. */
export const maxMetadataTextCharacters =
  limits.metadataKeyCharacters + 1 + limits.metadataValueCharacters;
