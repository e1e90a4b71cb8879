export {
  type AlertKind,
  type AlertNoticeKind,
  type AlertOutcome,
  type AlertParams,
  alertKindNames,
  alertNoticeKinds,
  alertOutcomes,
  buildAlertPath,
  describeAlertRule,
  findAlertParamProblems,
  getAlertKind,
  maxAlertAddresses,
  maxAlertRules,
} from './alerts';
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
  colorPattern,
  isColor,
  listAppSettings,
  listValues,
  parseAppSetting,
} from './app-settings';
export {
  applyChoices,
  type Choice,
  setSwitch,
  switchEverythingOff,
} from './change-preferences';
export { canonicalizeLocale, chooseLocale } from './choose-locale';
export { operatorInput } from './configuration-schemas';
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
  type EventKind,
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
export { toItemNumber } from './item-number';
export {
  commonRoles,
  type DeliverJob,
  type FanOutJob,
  fanOutQueue,
  getDeliverQueue,
  getFairnessKey,
  maxMessagesPerJob,
  optionalRoles,
} from './jobs';
export { maskEndpoint, maskTarget } from './mask-target';
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
  formatSuppressedSender,
  formatSuppressor,
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
  type SuppressionScope,
  type SuppressionSource,
  skipReasons,
  suppressionReasons,
  suppressionSources,
  usualSources,
  type WaitReason,
  waitReasons,
} from './message-state';
export {
  categorySlugPattern,
  findOptOut,
  formatOptOut,
  isCategorySlug,
  isSwitchedOff,
  linkNames,
  listSwitchedOff,
  type OptOut,
  type UnsubscribeSource,
  unsubscribeSources,
} from './preferences';
export {
  type CategoryPreferences,
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
export { type CancelAnswer, type CancelBody, cancelAnswer, cancelBody } from './wire/cancel';
export { canonicalJson } from './wire/canonical-json';
export {
  type CapturedMessage,
  capturedMessageToWire,
  sandboxWaitAnswer,
} from './wire/captured-message';
export { describeAlias } from './wire/describe-alias';
export {
  type DeviceBody,
  type DeviceChange,
  deviceAnswer,
  deviceBody,
  deviceFromWire,
  deviceToWire,
  isDeviceId,
  newDeviceBody,
  type StoredDevice,
  type StoredSubscription,
} from './wire/device';
export {
  changedInboxItemsAnswer,
  changeInboxItemBody,
  changeInboxItemsBody,
  fetchInboxBody,
  type InboxCounts,
  type InboxItem,
  type InboxStates,
  type InboxStatus,
  inboxAnswer,
  inboxCountsAnswer,
  inboxItemAnswer,
  inboxItemToWire,
  inboxPageAnswer,
  inboxStatesToWire,
  readInboxBody,
  streamTicketAnswer,
  unreadCountAnswer,
  updateInboxBody,
} from './wire/inbox';
export { parseJson, parseJsonInSteps } from './wire/json';
export { unreadableJson } from './wire/json-scan';
export { limits, maxMetadataTextCharacters } from './wire/limits';
export { withoutNulls } from './wire/members';
export {
  findUnknownChannels,
  type PreferencesBody,
  preferencesAnswer,
  preferencesBody,
  preferencesFromWire,
  preferencesToWire,
} from './wire/preferences';
export {
  type PushStatus,
  type PushStatusBody,
  pushStatusAnswer,
  pushStatusBody,
  pushStatusFromWire,
} from './wire/push-status';
export { readPreferences, recipientFromWire, type WireUser } from './wire/recipient';
export {
  countsToWire,
  type RequestStatus,
  requestStatusAnswer,
  requestStatusToWire,
  type StatusEntry,
} from './wire/request-status';
export { parseIso, readSchedule, type Schedule } from './wire/schedule';
export {
  inAppStatusBody,
  sdkUserBody,
  type TopicsBody,
  topicsBody,
  webPushKeyAnswer,
} from './wire/sdk';
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
  type UserSwitches,
  userFromWire,
  userToWire,
} from './wire/user';
export { createValidator, type Validate } from './wire/validate';
export {
  type WebhookEvent,
  type WebhookType,
  webhookEvent,
  webhookTypeNames,
  webhookTypes,
} from './wire/webhook-events';
export {
  type NewWebhookBody,
  newWebhookBody,
  resendFailedWebhooksAnswer,
  resendFailedWebhooksBody,
  type WebhookBody,
  type WebhookDelivery,
  type WebhookDisabledReason,
  type WebhookEndpoint,
  type WebhookOutcome,
  type WebhookTry,
  webhookAnswer,
  webhookBody,
  webhookDeliveryAnswer,
  webhookDeliveryListAnswer,
  webhookDeliveryToWire,
  webhookDisabledReasons,
  webhookExampleBody,
  webhookListAnswer,
  webhookOutcomes,
  webhookToWire,
  webhookWithSecretAnswer,
} from './wire/webhooks';
