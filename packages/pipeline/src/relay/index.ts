export { type Archive, createArchive } from '../archive/archive';
export { createPublishCapacity } from './capacity';
export { createMinuteCount } from './count-minutes';
export { createPlanning, createResendLoop } from './create-planning';
export { createQueues, type Queues } from './queues';
export { listUnplannedRequests } from './relay.sql';
export { carryOutResend } from './resend-by-filter.sql';
export { withMinutesLock } from './retention-lock';
export { createStoredUpkeep, startRelay } from './start-relay';
