export type {
  AnyChannel,
  AppDefaults,
  Channel,
  CompiledTemplate,
  ComposeInput,
  ComposeResult,
  ConnectCall,
  ConnectionTestResult,
  Deadline,
  DescribeCall,
  HandshakeCall,
  HostConnections,
  IntegrationInput,
  MailingList,
  Notes,
  PreparedSend,
  Provider,
  ProviderRequest,
  ReceiptCall,
  ReceiptDownloads,
  ReceiptReader,
  ReceiptReport,
  Reply,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  Target,
  Targeting,
  TestCall,
  UnsentCall,
  WebPushFacts,
} from './channel';
export {
  listBoundFields,
  listMadeFields,
  mayShowLastFour,
  mayShowValue,
} from './credential-marks';
export { getDefaultProvider } from './default-provider';
export { readBounceMail } from './email/bounce-reports';
export { createGuardedFetch, type GuardedFetch } from './guarded-fetch';
export {
  createGuardedHttp,
  findUrlProblem,
  type GuardedFailure,
  type GuardedHttp,
} from './guarded-http';
export { retryAfterMs } from './http';
export { listMagicRecipients } from './magic-recipients';
export { isNoAnswer, timeoutReason } from './network-failure';
export { type Payload, readPayload } from './payload';
export {
  canonicalizeSearchedPhone,
  isPhoneRegion,
  listSearchedPhones,
  parsePhoneNumber,
} from './phone-number';
export { type PrivateHosts, parsePrivateHosts } from './public-address';
export { createFcmTopics, type FcmTopics, type TopicResult } from './push/fcm-topics';
export { isWebPushTarget } from './push/target';
export { getMaxPerSecond, type ProviderRate, type TargetRate } from './rate';
export { redact } from './redact';
export { type ChannelName, channelNames, channels } from './registry';
export {
  type CaptureRecord,
  createSandboxSender,
  type MagicBehaviour,
  magicBehaviours,
  type SandboxCall,
  type SandboxDeps,
  type SandboxSender,
  sandboxProvider,
} from './sandbox';
export { createSenderDeps } from './sender-deps';
export { type SignalWithin, signalWithin } from './signal-within';
export { warmTemplates } from './warm-templates';
