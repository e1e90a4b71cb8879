export {
  type AccountStorage,
  countStorage,
  findAccountStorage,
  listLimitedAccounts,
  readStorageTotals,
  type StorageTotals,
  setStorageLimit,
} from './account-storage';
export { type AnsweredCall, type AnsweredWrite, writeAnswered } from './answered-write';
export { type CaptureFilter, type CapturePage, findCaptures } from './captured-messages';
export {
  type NewCapture,
  type StoredCapture,
  toStoredCapture,
  writeCapture,
  writeCaptures,
} from './captures';
export {
  carryOutResend,
  type DecideResends,
  type ResendCandidate,
  type ResendChunkApp,
  type ResendChunkResult,
  type ResendDecision,
} from './carry-out-resend';
export { type Claim, type ClaimedMessage, type ClaimOptions, claimMessages } from './claim';
export { claimClearMessages } from './claim-clear';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  isAnsweredError,
  isRefusedContent,
} from './client';
export { type Configuration, createConfiguration, type NewIntegration } from './configuration';
export { countMessages } from './count-messages';
export {
  type Access,
  createAccess,
  type InvitationRow,
  type OperatorRow,
  type SessionTimes,
} from './dashboard/access';
export { type AccountAppRow, type AccountApps, createAccountApps } from './dashboard/account-apps';
export {
  type AccountKeyRow,
  type AccountKeys,
  createAccountKeys,
  maxActiveKeys,
  writeKeyUses,
} from './dashboard/account-keys';
export {
  type AppCaptures,
  type CaptureGroup,
  type CaptureRow,
  type CaptureSummary,
  capturesOfPage,
  createAppCaptures,
} from './dashboard/app-captures';
export {
  type AppEventRow,
  type AppEvents,
  createAppEvents,
  type DraftSave,
} from './dashboard/app-events';
export {
  type AppIntegrationRow,
  type AppIntegrations,
  createAppIntegrations,
} from './dashboard/app-integrations';
export {
  type AppUserRow,
  type AppUsers,
  createAppUsers,
  type MatchedUser,
  type UserDeviceRow,
} from './dashboard/app-users';
export { type Actor, type AuditEntryRow, listAuditEntries } from './dashboard/audit';
export { type CallData, type LastCall, maxCallsCompared } from './dashboard/event-calls';
export type {
  PublishResult,
  RollBackResult,
  StoredVersion,
  VersionWithPrevious,
} from './dashboard/event-versions';
export {
  findNamed,
  type NamedRow,
  type NameQuery,
} from './dashboard/find-named';
export { type LogFilter, type LogStatement, logStatement } from './dashboard/log-statement';
export {
  cancelMessage,
  findResendable,
  findVersionOfRequest,
  type ResendableRow,
  writeGeneration,
} from './dashboard/message-changes';
export {
  createPeople,
  type PendingInvitation,
  type People,
  type PeopleChange,
  type PeopleObstacle,
  type PersonRow,
} from './dashboard/people';
export {
  type ChannelFacts,
  createQueueFacts,
  type PauseRow,
  type QueueFacts,
  queueCountedTo,
} from './dashboard/queue-facts';
export {
  createRequestLog,
  type LogEntry,
  type LogMessage,
  type RequestLog,
} from './dashboard/request-log';
export {
  type ItemTimeline,
  readItemTimeline,
  type TimelineAttempt,
  type TimelineItem,
  type TimelineMessage,
  type TimelineReceipt,
} from './dashboard/request-story';
export {
  createResendRuns,
  type MatchCount,
  type NewResendRun,
  type ResendMessageRow,
  type ResendProgress,
  type ResendRunRow,
  type ResendRuns,
} from './dashboard/resend-runs';
export {
  type AppSavedFilters,
  createSavedFilters,
  maxSavedFilters,
  type SavedFilterRow,
} from './dashboard/saved-filters';
export {
  type AddressOnChannel,
  createSuppressions,
  type SuppressionRow,
  type Suppressions,
} from './dashboard/suppressions';
export type { NewGeneration, WrittenGeneration } from './dashboard/write-generations';
export { createDatabaseCheck } from './database-check';
export {
  type DeliveryCount,
  type Latency,
  type RateRow,
  rateSlotSeconds,
  rateSlots,
  readLatency,
  readRates,
  writeDeliveryCounts,
} from './delivery-counts';
export { type Demo, seedDemo } from './demo';
export {
  createDevices,
  type DeviceAddress,
  type Devices,
  type DeviceUpdate,
  type NewDevice,
} from './devices';
export {
  type ConfiguredIntegration,
  listIntegrations,
  readRequestTimeline,
} from './doctor-queries';
export { type ErasureRow, eraseUser, listErasures, type NewErasure } from './erase-user';
export {
  findUnplannedRequest,
  listUnplannedItems,
  type PlannedChunk,
  type PlannedItem,
  type UnplannedItem,
  type UnplannedItemsPage,
  type UnplannedRequest,
  writePlans,
} from './fan-out-queries';
export { type FeedMessage, listFeedMessages, listFeedSkips } from './feed-queries';
export {
  countQueued,
  type EnqueueDecisions,
  type EnqueuedMessages,
  enqueueDue,
  type QueuedCount,
  type Share,
  type WaitingGroup,
  type WaitingMessage,
} from './feed-waiting';
export { createFindUser } from './find-users';
export {
  type Heartbeat,
  listHeartbeats,
  removeHeartbeat,
  type WorkerHeartbeat,
  writeHeartbeat,
} from './heartbeats';
export {
  type NewStoredKey,
  type PurgeOptions,
  purgeIdempotencyKeys,
  writeKeyAlone,
} from './idempotency-keys';
export {
  createInbox,
  type Inbox,
  type InboxAddress,
  type InboxAnchor,
  type InboxPage,
  type InboxStatusChange,
} from './inbox';
export { listUsableIntegrations, markActive, markNeedsAttention } from './integrations';
export { isPlanned } from './is-planned';
export { checkKeyRing, findRingProblems } from './key-canary';
export {
  type ApiKeyRow,
  type AppRow,
  apiKeyPlace,
  createIdLists,
  createLookUps,
  type EventRow,
  type IdLists,
  type IntegrationRow,
  integrationPlace,
  itemTokenPlace,
  type LookUps,
  openCredentials,
  type SealedApiKey,
  type UserRow,
  userTokenPlace,
  type VersionRow,
} from './look-ups';
export {
  MigrationError,
  type MigrationResult,
  migrate,
  readSchemaVersion,
  type SchemaVersion,
} from './migrate';
export { type ResetLink, resetOperator } from './operators';
export { readFailovers } from './passed-over';
export {
  type Permission,
  type PermissionQuery,
  readPermissions,
} from './permissions';
export { type RequeuedMessage, requeueMessages } from './put-back';
export {
  type AppReport,
  type NewReceipt,
  type ReceiptEffect,
  storeReceipts,
  writeAppReport,
  writeReceipts,
} from './receipts';
export { type AttemptResult, leaseExpired, type NextState, recordResults } from './record';
export {
  type DoubtedMessage,
  type DoubtOptions,
  type EndedJob,
  type ExpiredLease,
  type ExpiredLeaseOptions,
  type ExpiredMessages,
  expireWaiting,
  type JobAssignment,
  listDoubtedMessages,
  listExpiredLeases,
  listUnplannedRequests,
  readUptimeMs,
  replaceJobs,
  type UnplannedOptions,
} from './relay-queries';
export { readRequestStatus, type StatusPage, type StatusPlace } from './request-status';
export { getResendRun } from './resend-run-of';
export { listOldKeys, type OldKey, type ResealCount, rotateKeys } from './rotate-keys';
export {
  dropSettledTexts,
  type ItemPlace,
  type ItemTexts,
  openTexts,
  sealTexts,
} from './sealed-items';
export { checkPostgres } from './server-check';
export {
  fillSlackIntegration,
  markSlackRevoked,
  type SlackInstall,
  type SlackRevocation,
} from './slack-installs';
export {
  createReadiness,
  type OldestWaiting,
  readDatabaseTime,
  readOldestWaiting,
} from './status-queries';
export { getSqlState, type Queryable } from './transaction';
export { createUpkeepTasks, type RemovedChunk, type UpkeepTask } from './upkeep';
export { withStorageLock, withUpkeepLock } from './upkeep-lock';
export { createUsers, type Users, type UserWrite } from './users';
export { readWaitingFacts, type WaitingFacts } from './waiting-facts';
export { classifyWriteFailure, type WriteFailure } from './write-failure';
export {
  findStoredKeys,
  type ItemPlan,
  type KeyOfAccount,
  type KeyOutcome,
  type NewIdempotencyKey,
  type NewItem,
  type NewMessage,
  type NewRequest,
  type RequestWriteResult,
  type Skip,
  type StoredKey,
  toKeyName,
  writeRequests,
} from './write-request';
