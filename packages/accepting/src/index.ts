export {
  createSendEvent,
  type SendEvent,
  type SendEventDeps,
  type SendEventInput,
} from './accept';
export {
  type Batch,
  type BulkSend,
  type BulkSendDeps,
  type BulkSendInput,
  createBulkSend,
} from './accept-bulk';
export { type Compose, createCompose } from './compose';
export {
  createDryRun,
  type DryRun,
  type DryRunDeps,
  type DryRunInput,
  type DryRunMessage,
} from './dry-run';
export { createQueues, type NewDeliverJob, type Queues } from './enqueue';
export { createFanOut, type FanOutDeps } from './fan-out';
export { canonicalJson } from './fingerprint';
export {
  createIdempotencyStore,
  type IdempotencyStore,
  type IdempotencyStoreDeps,
} from './gate/gate';
export {
  createRunIdempotentRequest,
  type HandlerResult,
  type IdempotencyResult,
  type IdempotentHandler,
  type IdempotentRequest,
  type IdempotentRequestDeps,
  type IdempotentResponse,
  type RunIdempotentRequest,
} from './keyed-call';
export { createPlan, type Plan, type PlanInput } from './plan';
export { getProvider, type PlannedCall, planCall } from './plan-call';
export {
  type CapacityReader,
  type CapacityReaderDeps,
  createCapacityReader,
  createPublishCapacity,
} from './published-room';
export {
  createResend,
  findResendObstacle,
  findResendWarning,
  type Resend,
  type ResendDeps,
  type ResendInput,
} from './resend';
export { createResendByFilter, type ResendByFilterDeps } from './resend-by-filter';
export {
  type Capacity,
  createCapacity,
  type PublishedCapacity,
} from './room';
export { type ItemAddress, sealToken, storedRecipient } from './tokens';
export { createWriteBatcher, type WriteBatcherDeps, type WriteResult } from './write-batcher';
export { refuseFailedWrite, unavailable } from './write-outcome';
