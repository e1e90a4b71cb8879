export {
  createSendEvent,
  type SendEvent,
  type SendEventDeps,
  type SendEventInput,
} from './accept';
export {
  type BulkSend,
  type BulkSendDeps,
  type BulkSendInput,
  createBulkSend,
} from './accept-bulk';
export type { Accepted } from './accept-call';
export { type AnswerOnce, createAnswerOnce, type OnceAnswer, type OnceCall } from './answer-once';
export { createQueues, type NewDeliverJob, type Queues } from './enqueue';
export { createFanOut, type FanOutDeps } from './fan-out';
export { createPlan, type Plan, type PlanInput } from './plan';
export { type ItemAddress, sealToken, storedRecipient } from './tokens';
export { createWriteBatcher, type WriteBatcherDeps, type WriteResult } from './write-batcher';
