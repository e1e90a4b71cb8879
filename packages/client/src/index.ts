export { type Belfry, createBelfryClient } from './client';
export { BelfryError, type BelfryErrorCode } from './errors';
export type {
  BulkElement,
  BulkSendAnswer,
  BulkSendBody,
  CapturedMessage,
  DeleteDeviceAnswer,
  Device,
  DeviceBody,
  DryRunAnswer,
  GatewayErrorCode,
  Inbox,
  NewDeviceBody,
  Override,
  PushStatusAnswer,
  PushStatusBody,
  Recipient,
  RequestMessage,
  RequestStatus,
  SandboxWaitAnswer,
  SendEventAnswer,
  SendEventBody,
  StateCounts,
  User,
  UserBody,
} from './generated/wire';
export type { BelfryOptions, CallOptions, WriteOptions } from './options';
export type { Push } from './push';
export type { RequestPage } from './requests';
export type { CapturesWanted, Sandbox } from './sandbox';
export type { InboxPage } from './users';
