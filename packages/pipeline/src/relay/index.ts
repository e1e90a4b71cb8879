export { createPublishCapacity } from './capacity';
export { createPlanning, createResendLoop } from './create-planning';
export { createQueues, type Queues } from './queues';
export { listUnplannedRequests } from './relay.sql';
export { carryOutResend } from './resend-by-filter.sql';
export { startRelay } from './start-relay';
