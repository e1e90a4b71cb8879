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
  SandboxWaitAnswer,
  SendEventAnswer,
  SendEventBody,
  User,
  UserBody,
} from './generated/wire';
export type { BelfryOptions, CallOptions, WriteOptions } from './options';
export type { Push } from './push';
export type { CapturesWanted, Sandbox } from './sandbox';
export type { InboxPage } from './users';
