export { formatAbuse } from './abuse/report';
export { runAbuse } from './abuse/run-abuse';
export { attacks } from './attacks/attacks';
export { openTarget, type Target } from './attacks/target';
export { writeBacklog } from './backlog';
export { formatBenchTable } from './bench/bench-table';
export { buildCapacityTable, completeDemand, formatCapacity } from './bench/capacity-text';
export { listPageCalls } from './bench/page-calls';
export { readStoredTexts } from './bench/pages-lines';
export { buildPerformancePage } from './bench/performance-page';
export { readWakeUps } from './bench/process-costs';
export { ownTables } from './bench/record-tables';
export { benchParts, runBench } from './bench/run-bench';
export { runSoak } from './bench/soak';
export {
  bigTables,
  createStoredApps,
  listAllBulkStatements,
  listOtherStatements,
  listRangeStatements,
  setTriggers,
} from './bench/stored-pages';
export { chromiumArgs, chromiumPath, createSetUpToken } from './browser';
export { recordedRuns } from './chaos/recorded-runs';
export { formatChaosReport } from './chaos/report';
export { runChaos } from './chaos/run';
export { startProcess, type TestProcess } from './child-process';
export { type CommandCounter, createCommandCounter } from './command-counter';
export { openDatabase, ownDatabase, testDatabase } from './database';
export {
  hasDebianPostgres,
  query,
  type Replicated,
  startReplicatedPostgres,
} from './debian-postgres';
export { eventually } from './eventually';
export {
  channelVersion,
  createFactories,
  type Factories,
  type Tenant,
  testKeyRing,
  testSecrets,
} from './factories';
export {
  type Answer,
  probeReads,
  probeRoute,
  type Scene,
  type Victim,
} from './isolation/probe-route';
export { type ReadRecorder, recordReads } from './isolation/record-reads';
export {
  buildRequestTarget,
  type RouteCall,
  type ValueTypes,
} from './isolation/route-call';
export { createRowWatch, type RowWatch, type WatchOptions } from './isolation/tenant-rows';
export { createTwin } from './isolation/twins';
export { type MixedRequest, writeMixedRequest } from './mixed-request';
export { formatRandomFates, formatRandomRate } from './mutants/random/report';
export { runRandomMutants } from './mutants/random/run-random';
export { isProof } from './mutants/random/try-mutant';
/** @public */
export { runMutants } from './mutants/run-mutants';
export { type OwnStore, ownPostgres, ownRedis } from './own-stores';
export { type PastMessage, writePastMessages } from './past-messages';
export { countReads, type Plan } from './plan';
export { type ReaderSecret, signReaderToken, type TokenChanges } from './reader-token';
export { recordBuffers } from './record-buffers';
export { testRedis } from './redis';
export { type RedisGroup, startRedisCluster, startSentinelGroup } from './redis-groups';
export type { RedisServer } from './redis-server';
export { readShellBlocks } from './shell-blocks';
export {
  type SimulatedChannels,
  startSimulatedChannels,
} from './simulated-channels';
export { type SimulatedMailApi, startMailApis } from './simulated-mail-apis';
export {
  createFcmSimulator,
  type FcmFault,
  type FcmSend,
  type FcmSimulator,
  type FcmTrouble,
  fcmSendPath,
  simulatedServiceAccount,
} from './simulators/fcm';
export {
  createHttpSimulator,
  findClosedPort,
  type HttpFault,
  type HttpRequest,
} from './simulators/http-simulator';
export type {
  MailApiSend,
  MailApiSimulator,
  MailEventKind,
  MailReport,
} from './simulators/mail-api';
export { createMailgunSimulator, mailgunWebhookKey } from './simulators/mailgun';
export {
  createMetaMessage,
  createMetaPreference,
  createMetaSimulator,
  type MetaFault,
  type MetaSend,
  type MetaSimulator,
  type MetaWebhook,
} from './simulators/meta';
export {
  createOnesignalSimulator,
  type OnesignalFault,
  type OnesignalSend,
  type OnesignalSimulator,
} from './simulators/onesignal';
export { createOtlpCollector } from './simulators/otlp';
export type { ReceivedSpan } from './simulators/otlp-rules';
export { createPostmarkSimulator, postmarkWebhook } from './simulators/postmark';
export { createResendSimulator, resendWebhookSecret } from './simulators/resend';
export { createS3Simulator, type S3Simulator, s3Fault, simulatedBucket } from './simulators/s3';
export { createSendgridSimulator, getSendgridWebhookKey } from './simulators/sendgrid';
export {
  createSesSimulator,
  type SesSimulator,
  sesAccount,
  sesCertificateUrl,
} from './simulators/ses';
export {
  createSlackSimulator,
  type SlackFault,
  type SlackSend,
  type SlackSimulator,
} from './simulators/slack';
export { signSlackEvent, simulatedInstall } from './simulators/slack-oauth';
export {
  createSmtpSimulator,
  type SmtpFault,
  type SmtpSend,
  type SmtpSimulator,
  type SmtpSimulatorOptions,
} from './simulators/smtp';
export {
  createTelegramSimulator,
  type TelegramFault,
  type TelegramSend,
  type TelegramSimulator,
} from './simulators/telegram';
export { createMembershipUpdate, createTextUpdate } from './simulators/telegram-updates';
export type { TelegramUpdate } from './simulators/telegram-webhook';
export {
  createTwilioSimulator,
  simulatedAuthToken,
  type TwilioFault,
  type TwilioSend,
  type TwilioSimulator,
  type TwilioSimulatorOptions,
} from './simulators/twilio';
export type { TwilioReceipt } from './simulators/twilio-receipts';
export {
  createWebPushSimulator,
  type WebPushFault,
  type WebPushSend,
  type WebPushSimulator,
} from './simulators/web-push';
export { createStatementCounter, type StatementCounter } from './statement-counter';
export { type StepCounter, startStepCounter } from './steps/count-steps';
export {
  type MessageRow,
  type System,
  startSystem,
  testEnvironment,
} from './system';
export {
  createTcpProxy,
  type TcpProxy,
} from './tcp-proxy';
export { isFullRun, readRunSeed } from './test-env';
/** @public */
export { startTestStores } from './test-stores';
export { createWorkspaceCopy } from './workspace-copy';
