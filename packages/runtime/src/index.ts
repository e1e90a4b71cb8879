export { parseArchiveUrl } from './archive-url';
export type { Awaitable } from './awaitable';
export { type Batcher, BatcherFullError, createBatcher } from './batcher';
export {
  type BouncedMail,
  buildBounceAddress,
  buildTestAddress,
  readBounceAddress,
  type TestedMail,
} from './bounce-address';
export { type CacheOptions, createAsyncCache, createCache } from './cache';
export {
  getClientNetwork,
  type IsTrustedProxy,
  isHttps,
  parseTrustedProxies,
} from './client-network';
export { type Env, EnvError, mergeEnvironment, readEnv } from './env';
export { createFairQueue, type FairQueue } from './fair-queue';
export { createGuardedFind, createTokenBuckets } from './guarded-find';
export { answerAndClose, createHttpServer, type HttpServerOptions } from './http-server';
export { newId } from './ids';
export { createLogger, type Logger } from './log';
export { createLoop, type Loop, type WakeableLoop } from './loop';
export { watchLoop } from './loop-watch';
export { type MessageStage, messageStages, type ObserveStage } from './message-stages';
export { createMetrics, type Metrics, type QueueJobs } from './metrics';
export { nodeOptions } from './node-options';
export { buildReceiptUrl, isReceiptSecret } from './receipt-address';
export {
  createConsumerRedis,
  createRedis,
  createRedisScript,
  type RedisScript,
  runRedisScript,
  waitForRedis,
} from './redis';
export { listenToChannel } from './redis-channel';
export { createRedisCheck } from './redis-check';
export type { RedisConnection } from './redis-connection';
export { buildAclRule } from './redis-problems';
export { addHashTag, maskRedisUrl } from './redis-url';
export { findTargetProblem, getHeaderValues } from './request-head';
export { createKeyRing, createSecrets, SecretError, type Secrets } from './secrets';
export { createSemaphore, type Semaphore } from './semaphore';
export type { ProcessName } from './setting-kinds';
export { type SettingName, settings } from './settings';
export { createShutdown, exitOnSignals, type Shutdown } from './shutdown';
export { readSlackTicket, writeSlackTicket } from './slack-ticket';
export type { OpenSpan, Tracing } from './span';
export {
  createStartChecks,
  type Findings,
  type StartCheck,
  type StartChecks,
} from './start-checks';
export { failStart, refuseToGoOn } from './start-failure';
export { createStatusServer, type StatusServer } from './status-server';
export { getTraceId, parseTraceparent } from './traceparent';
export { createTracing } from './tracing';
export {
  readUnsubscribeToken,
  type UnsubscribeToken,
  writeUnsubscribeToken,
} from './unsubscribe-token';
export { version } from './version';
export { withinTime } from './within-time';
export { createYieldWhenDue } from './yield-when-due';
