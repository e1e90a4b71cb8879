export {
  createApiKey,
  isSameSecret,
  type NewApiKey,
  type ParsedApiKey,
  parseApiKey,
} from './api-key';
export {
  type AppSetting,
  type AppSettingKey,
  type AppSettings,
  appSettings,
  listAppSettings,
  listValues,
  parseAppSetting,
} from './app-settings';
export { canonicalizeLocale, chooseLocale } from './choose-locale';
export type { Data, Json } from './data';
export {
  AppError,
  type ErrorCode,
  errorCatalogue,
  errorEntry,
  type FieldProblem,
  limitProblems,
} from './errors';
export {
  type ChannelVersion,
  completeDefinition,
  defaultPolicy,
  emptyDefinition,
  type Policy,
  type VersionDefinition,
  type VersionInput,
} from './event-version';
export { getOwn } from './get-own';
export {
  failingAfterInRow,
  type HealthFacts,
  type HealthVerdict,
  healthVerdicts,
  isCircuitOpen,
  judgeHealth,
} from './integration-health';
export {
  type DeliverJob,
  type FanOutJob,
  fanOutQueue,
  getDeliverQueue,
  getFairnessKey,
  maxMessagesPerJob,
} from './jobs';
export { maskTarget } from './mask-target';
export {
  type ContactUpdate,
  type ExpectedEnd,
  expectedEnds,
  explainWaitReason,
  type Failover,
  type FailoverReason,
  type FailureReason,
  failoverReasons,
  failureReasons,
  finalStates,
  type MessageState,
  messageStates,
  type Outcome,
  type OutcomeKind,
  type QueueReason,
  queueReasonNames,
  queueReasons,
  type ReceiptState,
  type RefusalReason,
  type RejectionScope,
  receiptStates,
  type SkipReason,
  type SuppressionReason,
  skipReasons,
  suppressionReasons,
  type WaitReason,
  waitReasons,
} from './message-state';
export {
  mergeRecipients,
  type Preferences,
  type Recipient,
  type RecipientDevice,
  type SlackRecipient,
} from './recipient';
export {
  formatErasedTarget,
  maxMessagesPerResend,
  type ResendObstacle,
  type ResendSkip,
  renderFailures,
  resendableStates,
  resendObstacles,
  resendPaces,
  resendSkips,
} from './resend-outcome';
export {
  countedAs,
  countStates,
  noReason,
  type StateCounts,
  type StateGroup,
} from './state-counts';
export { escapeAngle, escapeHtml, escapeNothing } from './templates/escapes';
export { hasPath } from './templates/has-path';
export type { BlockNode, PrintNode, Template, TemplateNode, TextNode } from './templates/nodes';
export { helperNames } from './templates/nodes';
export { parseTemplate } from './templates/parse';
export { createParseBudget } from './templates/parse-budget';
export { type Rendered, type RenderOptions, renderTemplate } from './templates/render';
export { createRenderBudget } from './templates/render-budget';
export { getPlace, TemplateError } from './templates/template-error';
export { isBlank, isUuid } from './text';
export {
  type BulkElement,
  type BulkHead,
  type BulkLimits,
  type BulkReader,
  createBulkReader,
  createBulkSendBody,
  createRefusals,
} from './wire/bulk-send';
export { canonicalJson } from './wire/canonical-json';
export {
  type CapturedMessage,
  capturedMessageToWire,
  sandboxWaitAnswer,
} from './wire/captured-message';
export { describeAlias } from './wire/describe-alias';
export {
  type DeviceChange,
  deviceAnswer,
  deviceBody,
  deviceFromWire,
  deviceToWire,
  isDeviceId,
  newDeviceBody,
  type StoredDevice,
} from './wire/device';
export {
  fetchInboxBody,
  type InboxItem,
  type InboxStatus,
  inboxAnswer,
  inboxItemAnswer,
  inboxItemToWire,
  readInboxBody,
  unreadCountAnswer,
  updateInboxBody,
} from './wire/inbox';
export { parseJson, parseJsonInSteps } from './wire/json';
export { unreadableJson } from './wire/json-scan';
export { withoutNulls } from './wire/members';
export {
  type PushStatus,
  pushStatusAnswer,
  pushStatusBody,
  pushStatusFromWire,
} from './wire/push-status';
export { recipientFromWire, type WireUser } from './wire/recipient';
export {
  type RequestStatus,
  requestStatusAnswer,
  requestStatusToWire,
  type StatusEntry,
} from './wire/request-status';
export { readSchedule, type Schedule } from './wire/schedule';
export {
  collectExtraFields,
  createReadSend,
  createSendEventBody,
  getSchedule,
  type ReadSend,
  type WireChannels,
  type WireItem,
  type WireOverride,
} from './wire/send-event';
export {
  type Contact,
  createUserAnswer,
  createUserBody,
  isUserId,
  type StoredUser,
  type UserChange,
  userFromWire,
  userToWire,
} from './wire/user';
export { createValidator, type Validate } from './wire/validate';
