/** Size limits of request fields; error messages name them. */
export const limits = {
  eventCharacters: 128,
  userIdCharacters: 255,
  emailCharacters: 254,
  phoneCharacters: 32,
  pushTokenCharacters: 4_096,
  /** Firebase's limit of a topic name. */
  pushTopicCharacters: 900,
  tokensOfRecipient: 100,
  slackTokenCharacters: 512,
  /** Ids of other services: Slack channels, Telegram chats, OneSignal users. */
  identifierCharacters: 255,
  /** The longest language tag of RFC 5646, section 4.4.1. */
  localeCharacters: 35,
  channelPreferencesBytes: 16 * 1024,
  scheduleCharacters: 64,
  dataBytes: 256 * 1024,
} as const;
