export { addressKey, wentTo } from './address-key';
export { byteaArray, plainArray, textArray } from './array-parameters';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  isAnsweredError,
  isRefusedContent,
} from './client';
export { type Configuration, createConfiguration, type NewIntegration } from './configuration';
export { NotConnectedError } from './connection';
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
export {
  type Actor,
  type AuditEntryRow,
  changeWithAudit,
  listAuditEntries,
  writeAudit,
} from './dashboard/audit';
export {
  type CallData,
  callDataStatement,
  type LastCall,
  maxCallsCompared,
} from './dashboard/event-calls';
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
export { listStoredKeys, toReadableKey } from './dashboard/key-text';
export {
  createPeople,
  type PendingInvitation,
  type People,
  type PeopleChange,
  type PeopleObstacle,
  type PersonRow,
} from './dashboard/people';
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
export { createFindUser } from './find-users';
export type { PrismaClient } from './generated/client';
export {
  type Heartbeat,
  listHeartbeats,
  removeHeartbeat,
  type WorkerHeartbeat,
  writeHeartbeat,
} from './heartbeats';
export { listUsableIntegrations, markActive, markNeedsAttention } from './integrations';
export { jsonColumn, readJsonColumn } from './json-column';
export { checkKeyRing, findRingProblems } from './key-canary';
export { listOfTexts } from './list-of-texts';
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
export { storable } from './storable';
export { getSqlState, inTransaction, type Queryable, undoneOrTaken } from './transaction';
export { createUsers, type Users, type UserWrite } from './users';
