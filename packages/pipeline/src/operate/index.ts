export { createSendAlert, type SendAlert } from '../alerts/send-alert';
export { writeAlertText } from '../alerts/write-text';
export { createArchive } from '../archive/archive';
export { type RateRow, rateSlotSeconds, rateSlots } from '../deliver/delivery-counts.sql';
export {
  type Candidate,
  type Eligibility,
  readEligibility,
} from '../deliver/eligibility.sql';
export { readFailovers } from '../deliver/failover.sql';
export { type AddLinks, createPreviewLinks } from '../deliver/links';
export type { CurrentSuppression } from '../deliver/suppression.sql';
export {
  type AccountStorage,
  findAccountStorage,
  listLimitedAccounts,
  setStorageLimit,
} from './account-storage.sql';
export type { Cancel } from './cancel-chunk.sql';
export { type CancelResult, createCancelMessages } from './cancel-messages';
export { explainCancel } from './cancel-note';
export { type CaptureFilter, type CapturePage, findCaptures } from './captured-messages';
export {
  type AppCaptures,
  type CaptureGroup,
  type CaptureRow,
  capturesOfPage,
  createAppCaptures,
} from './captures';
export { type ConfiguredIntegration, listIntegrations, sendsOptionalMail } from './doctor.sql';
export { createDryRun, type DryRun, type DryRunMessage } from './dry-run';
export { type ErasureRow, eraseUser, listErasures, type NewErasure } from './erase';
export { explainRequest } from './explain-request';
export { endedSuppression, explainSuppression } from './explain-suppression';
export { findSender } from './find-sender.sql';
export { createInbox, type Inbox } from './inbox';
export { formatCursor, formatEventId, parseCursor, parseEventId } from './inbox-cursor';
export type { InboxAddress, InboxPosition } from './inbox-item.sql';
export { createInboxItems, type InboxItems } from './inbox-items';
export {
  type InboxNews,
  type InboxProgress,
  listChangedReaders,
  readInboxNews,
} from './inbox-pages.sql';
export {
  createNameReader,
  createWakeListener,
  createWakeReader,
  type NameReader,
  type WakeListener,
  type WakeReader,
} from './inbox-wakes';
export { isPlanned } from './is-planned.sql';
export { computePercentileMs, countTimes } from './latency-buckets';
export { listFeedMessages, listFeedSkips } from './live-feed.sql';
export type { LogFilter } from './log-conditions.sql';
export { cancelMessage } from './message-changes.sql';
export {
  createOverview,
  type FailureCount,
  type LatencyCount,
  type Overview,
  type OverviewRow,
} from './overview.sql';
export {
  createQueueFacts,
  type PauseRow,
  type QueueFacts,
  type WaitRow,
} from './queue-counts';
export type { TimelineAttempt, TimelineMessage, TimelineReceipt } from './read-messages';
export { type ItemTimeline, readItemTimeline, readRequestTimeline } from './read-request';
export {
  type AppReport,
  isReportable,
  type NewReceipt,
  storeReceipts,
  writeAppReport,
} from './receipts';
export { type NewReplies, type ReplyEffect, storeReplies } from './replies.sql';
export {
  countItems,
  type ItemEntry,
  type ItemRange,
  type RequestItem,
  readItems,
} from './request-items';
export { createRequestLog, type LogEntry, type LogMessage, type RequestLog } from './request-log';
export { logStatement } from './request-log.sql';
export {
  findRequestByKey,
  readRequestStatus,
  type StatusPage,
  type StatusPlace,
} from './request-status';
export {
  explainResendObstacle,
  findResendWarning,
  findVerdictWarning,
  type ResendInput,
  type ResendResult,
  resendMessage,
} from './resend';
export { getResendRun } from './resend-run.sql';
export {
  createResendRuns,
  type ResendRunRow,
  type ResendRuns,
} from './resend-runs';
export { judgeResends, type ResendVerdict } from './resend-verdict.sql';
export { listOldKeys, type OldKey, rotateKeys } from './rotate-keys';
export { createStoreReports, type StoreReportsDeps } from './store-reports';
export { readUserMessages, type UserMessage } from './user-messages';
export type { UserQuery } from './user-messages.sql';
export { explainOptOut, explainPassedSuppression } from './verdict-notes';
