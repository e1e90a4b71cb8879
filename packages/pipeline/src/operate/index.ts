export { type RateRow, rateSlotSeconds, rateSlots } from '../deliver/delivery-counts.sql';
export { readEligibility } from '../deliver/eligibility.sql';
export { readFailovers } from '../deliver/failover.sql';
export {
  type AccountStorage,
  findAccountStorage,
  listLimitedAccounts,
  setStorageLimit,
} from './account-storage.sql';
export { type CaptureFilter, type CapturePage, findCaptures } from './captured-messages';
export {
  type AppCaptures,
  type CaptureGroup,
  type CaptureRow,
  capturesOfPage,
  createAppCaptures,
} from './captures';
export { type ConfiguredIntegration, listIntegrations, readRequestTimeline } from './doctor.sql';
export { createDryRun, type DryRun, type DryRunMessage } from './dry-run';
export { type ErasureRow, eraseUser, listErasures, type NewErasure } from './erase';
export { createInbox, type Inbox, type InboxAddress } from './inbox';
export { isPlanned } from './is-planned.sql';
export { listFeedMessages, listFeedSkips } from './live-feed.sql';
export {
  cancelMessage,
  findResendable,
  findVersionOfRequest,
  writeGeneration,
} from './message-changes.sql';
export {
  type ChannelFacts,
  createQueueFacts,
  type PauseRow,
  type QueueFacts,
  queueCountedTo,
} from './queue-counts';
export {
  type ItemTimeline,
  readItemTimeline,
  type TimelineAttempt,
  type TimelineMessage,
  type TimelineReceipt,
} from './read-request';
export {
  type AppReport,
  type NewReceipt,
  type ReceiptEffect,
  storeReceipts,
  writeAppReport,
} from './receipts';
export { createRequestLog, type LogEntry, type RequestLog } from './request-log';
export { type LogFilter, logStatement } from './request-log.sql';
export { readRequestStatus, type StatusPage, type StatusPlace } from './request-status';
export { createResend, findResendObstacle, findResendWarning, type Resend } from './resend';
export { getResendRun } from './resend-run.sql';
export {
  createResendRuns,
  type MatchCount,
  type ResendRunRow,
  type ResendRuns,
} from './resend-runs';
export { listOldKeys, type OldKey, rotateKeys } from './rotate-keys';
