export { type Belfry, createBelfryClient } from './client';
export { BelfryError, type BelfryErrorCode } from './errors';
export type {
  BulkElement,
  BulkSendAnswer,
  BulkSendBody,
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
  SendEventAnswer,
  SendEventBody,
  User,
  UserBody,
} from './generated/wire';
export type { BelfryOptions, CallOptions, WriteOptions } from './options';
export type { Push } from './push';
export type { InboxPage } from './users';
