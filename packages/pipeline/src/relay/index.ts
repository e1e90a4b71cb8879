export { createPublishCapacity } from './capacity';
export { enqueueDue } from './enqueue-due.sql';
export { createLeases } from './expire-leases';
export { createFanOut } from './fan-out';
export { findUnplannedRequest, listUnplannedItems, writePlans } from './fan-out.sql';
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
export { createResendByFilter } from './resend-by-filter';
export { carryOutResend, type ResendChunkResult } from './resend-by-filter.sql';
export { createUpkeep } from './retention';
export { createUpkeepTasks } from './retention.sql';
export { withStorageLock, withUpkeepLock } from './retention-lock';
export { createResends } from './run-resends';
