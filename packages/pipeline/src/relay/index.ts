export { createPublishCapacity } from './capacity';
export { createPlanning, createResendLoop } from './create-planning';
export { createQueues, type Queues } from './queues';
export { listUnplannedRequests } from './relay.sql';
export { createResendByFilter } from './resend-by-filter';
export { carryOutResend, type ResendChunkResult } from './resend-by-filter.sql';
export { startRelay } from './start-relay';
