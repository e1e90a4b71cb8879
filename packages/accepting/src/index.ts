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
export { createGate, type Gate, type GateDeps } from './gate/gate';
export {
  type CallFacts,
  createKeyedCall,
  type Done,
  type KeyedAnswer,
  type KeyedCall,
  type KeyedCallDeps,
  type KeyedWork,
  type KeyResult,
} from './keyed-call';
export { createPlan, type Plan, type PlanInput } from './plan';
export { type PlannedCall, planCall, providerOf } from './plan-call';
export {
  createPublishRoom,
  createRoomReader,
  type RoomReader,
  type RoomReaderDeps,
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
export { createRoom, type PublishedRoom, type Room } from './room';
export { type ItemAddress, sealToken, storedRecipient } from './tokens';
export { createWriteBatcher, type WriteBatcherDeps, type WriteResult } from './write-batcher';
export { orRefuseWrite, unavailable } from './write-outcome';
