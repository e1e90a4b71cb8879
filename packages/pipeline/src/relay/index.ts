export { createPublishCapacity } from './capacity';
export { createPlanning, createResendLoop } from './create-planning';
export { createQueues, type Queues } from './queues';
export { createRelay } from './relay';
export {
  expireWaiting,
  listDoubtedMessages,
  listExpiredLeases,
  listUnplannedRequests,
  readUptimeMs,
  replaceJobs,
} from './relay.sql';
export { carryOutResend } from './resend-by-filter.sql';
export { createUpkeep } from './retention';
export { createUpkeepTasks } from './retention.sql';
export { withStorageLock, withUpkeepLock } from './retention-lock';
export { createResends } from './run-resends';
