export { type Capacity, createCapacity, createCapacityReader } from '../relay/capacity';
export { createQueues, type Queues } from '../relay/queues';
export { createSendEvent, type SendEvent, type SendEventInput } from './accept';
export { type BulkSend, type BulkSendInput, createBulkSend } from './accept-bulk';
export { type AnsweredCall, type AnsweredWrite, writeAnswered } from './answered-write';
export {
  createRunIdempotentRequest,
  type IdempotencyResult,
  type IdempotentHandler,
  type IdempotentRequest,
  type IdempotentResponse,
  type RunIdempotentRequest,
} from './idempotency';
export { findStoredKeys, purgeIdempotencyKeys, writeKeyAlone } from './idempotency.sql';
export { createIdempotencyStore, defaultKeepMs } from './idempotency-store';
export { createPlan, createReadStoredRecipient } from './plan';
export { type KeyOfAccount, type StoredKey, toKeyName } from './stored-key';
export { createWriteBatcher, writeRequests } from './write';
export type { NewItem } from './write.sql';
export { refuseFailedWrite, unavailable } from './write-failure';
