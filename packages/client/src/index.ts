export { type Belfry, createBelfryClient } from './client';
export { BelfryError, type BelfryErrorCode } from './errors';
export type {
  BulkElement,
  BulkSendAnswer,
  BulkSendBody,
  DeleteDeviceAnswer,
  Device,
  DeviceBody,
  GatewayErrorCode,
  Inbox,
  NewDeviceBody,
  Override,
  Recipient,
  SendEventAnswer,
  SendEventBody,
  User,
  UserBody,
} from './generated/wire';
export type { BelfryOptions, CallOptions, WriteOptions } from './options';
export type { InboxPage } from './users';
