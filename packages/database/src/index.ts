export { addressKey, wentTo } from './address-key';
export { byteaArray, jsonColumn, plainArray, readJsonColumn, textArray } from './array-parameters';
export {
  type Actor,
  type ActorInApp,
  changeWithAudit,
  createSystemActor,
  writeAudit,
} from './audit';
export {
  type AuditEntryRow,
  type AuditFilter,
  type AuditName,
  type AuditPage,
  readAuditNames,
  readAuditPage,
} from './audit-page.sql';
export { createDatabase, type Database, readServer } from './client';
export { judgeClock, readClocks } from './clock-check';
export { createAccount } from './configuration/accounts';
export { type AlertIncidentRow, listAlertIncidents } from './configuration/alert-history';
export {
  type AlertRuleFields,
  type AlertRuleRow,
  type AlertRules,
  createAlertRules,
} from './configuration/alert-rules';
export {
  type AccountKeyRow,
  type AccountKeys,
  createAccountKeys,
  maxActiveKeys,
  writeKeyUses,
} from './configuration/api-keys';
export {
  type AppUserRow,
  type AppUsers,
  createAppUsers,
  type MatchedUser,
  type UserDeviceRow,
} from './configuration/app-users';
export { type AccountAppRow, type AccountApps, createAccountApps } from './configuration/apps';
export {
  type AppCategories,
  createCategories,
  formatUnknownCategory,
  maxCategories,
} from './configuration/categories';
export {
  type CallData,
  callDataStatement,
  maxCallsCompared,
} from './configuration/event-calls';
export type {
  StoredVersion,
  VersionWithPrevious,
} from './configuration/event-versions';
export {
  type AppEventRow,
  type AppEvents,
  createAppEvents,
  type DraftSave,
  maxEventsListed,
} from './configuration/events';
export {
  createInboxSecrets,
  type InboxSecretRow,
  type InboxSecrets,
  maxActiveSecrets,
} from './configuration/inbox-secrets';
export {
  type IntegrationHealth,
  type IntegrationResults,
  type IntegrationRevision,
  joinHealth,
  removeOldIntegrationCounts,
  selectHealth,
  writeIntegrationResults,
  writeMailSignature,
} from './configuration/integration-health';
export {
  markActive,
  markNeedsAttention,
} from './configuration/integration-state';
export {
  type AppIntegrationRow,
  type AppIntegrations,
  createAppIntegrations,
  maxIntegrationsListed,
} from './configuration/integrations';
export { findPushIntegration } from './configuration/push-integrations';
export {
  type AppSavedFilters,
  createSavedFilters,
  maxSavedFilters,
} from './configuration/saved-filters';
export {
  fillSlackIntegration,
  markSlackRevoked,
  type SlackInstall,
  type SlackRevocation,
} from './configuration/slack-installs';
export {
  createSuppressionFiles,
  type ExportedSuppression,
  type ImportedSuppression,
  type SuppressionFiles,
} from './configuration/suppression-files';
export {
  type AddressOnChannel,
  createSuppressions,
  type SuppressionRow,
  type Suppressions,
  widenSuppression,
} from './configuration/suppressions';
export {
  createWebhookEndpoints,
  maxWebhookEndpoints,
  openWebhookSecrets,
  type WebhookEndpoints,
  webhookSecretsPlace,
} from './configuration/webhook-endpoints';
export { createDatabaseCheck } from './database-check';
export { type Demo, seedDemo } from './demo';
export {
  createDevices,
  type DeviceAddress,
  type Devices,
  type DeviceUpdate,
  hashToken,
  type NewDevice,
} from './devices';
export {
  classifyWriteFailure,
  isAnsweredError,
  isDatabaseUnavailable,
  isRefusedContent,
  NotConnectedError,
} from './failures';
export {
  findNamed,
  type NamedRow,
  type NameQuery,
} from './find-named';
export { createFindUser } from './find-users';
export type { PrismaClient } from './generated/client';
export {
  listHeartbeats,
  removeHeartbeat,
  type WorkerHeartbeat,
  writeHeartbeat,
} from './heartbeats';
export { confirmInstallation, pauseByOperator } from './installation/change-installation';
export { readInstallation } from './installation/installation.sql';
export { describePause, type PauseReason } from './installation/pause-reasons';
export { createInstallationWatch } from './installation/watch-installation';
export { checkKeyRing, findRingProblems } from './key-canary';
export { listStoredKeys, toReadableKey } from './key-text';
export { listOfTexts } from './list-of-texts';
export {
  type ApiKeyRow,
  type AppRow,
  apiKeyPlace,
  createIdLists,
  createLookUps,
  type EventRow,
  findSealedSecrets,
  type IdLists,
  type IntegrationRow,
  inboxSecretPlace,
  integrationPlace,
  itemTokenPlace,
  type LookUps,
  openCredentials,
  type SealedApiKey,
  type SealedInboxSecret,
  sealCredentials,
  type UserRow,
  userTokenPlace,
  type VersionRow,
} from './look-ups';
export {
  describeOlderDatabase,
  MigrationError,
  migrate,
  OlderDatabaseError,
} from './migrate';
export {
  type Access,
  createAccess,
} from './operators/access';
export {
  createPeople,
  type People,
  type PeopleChange,
  type PeopleObstacle,
} from './operators/people';
export { resetOperator, resetOperatorTotp } from './operators/reset-operator';
export type { OperatorRow, SessionTimes } from './operators/sessions';
export {
  createOperatorTotp,
  type OperatorActor,
  type OperatorTotp,
  type TotpRow,
  totpPlace,
} from './operators/totp';
export {
  createUserPreferences,
  type PreferencesUpdate,
  type UserPreferences,
} from './preferences';
export { getHosts } from './primary';
export {
  checkReplica,
  createReplicaCheck,
  createReplicaReads,
  type Reading,
} from './replica';
export { cancelTerm, hasMetadata, metadataTerm, selectTerms } from './request-term';
export { checkPostgres } from './server-check';
export {
  countNeedsAttention,
  createReadiness,
  type OldestWaiting,
  readDatabaseTime,
  readOldestWaiting,
} from './status-queries';
export { storable } from './storable';
export { getSqlState, inTransaction, type Queryable, undoneOrTaken } from './transaction';
export { createUnsubscribes, type PageFacts, type Unsubscribes } from './unsubscribes';
export { createUsers, type Users, type UserWrite } from './users';
