export type { Data, Json } from './data';
export { AppError, type ErrorCode, errorCatalogue } from './errors';
export {
  type ChannelVersion,
  defaultPolicy,
  localesToTry,
  type Policy,
  type VersionDefinition,
} from './event-version';
export {
  type DeliverJob,
  deliverQueue,
  type FanOutJob,
  fanOutQueue,
  maxMessagesPerJob,
} from './jobs';
export {
  type FailureReason,
  failureReasons,
  type MessageState,
  messageStates,
  type Outcome,
  type OutcomeKind,
  type SkipReason,
  skipReasons,
} from './message-state';
export {
  mergeRecipients,
  type Preferences,
  type Recipient,
  type SlackRecipient,
} from './recipient';
