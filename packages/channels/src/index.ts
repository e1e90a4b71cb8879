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
  Notes,
  PreparedSend,
  Provider,
  ProviderRequest,
  ReceiptCall,
  ReceiptReader,
  ReceiptReport,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  Target,
  Targeting,
  TestCall,
  UnsentCall,
} from './channel';
export { listBoundFields, mayShowLastFour, mayShowValue } from './credential-marks';
export { listMagicRecipients } from './magic-recipients';
export { isNoAnswer, timeoutReason } from './network-failure';
export { type Payload, readPayload } from './payload';
export {
  canonicalizeSearchedPhone,
  isPhoneRegion,
  listSearchedPhones,
  parsePhoneNumber,
} from './phone-number';
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
