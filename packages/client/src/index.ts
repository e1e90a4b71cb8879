export type { Transport } from './call';
export { type Belfry, createBelfryClient, createTransport } from './client';
export type { DataObject } from './data-object';
export {
  addDevice,
  type DevicePlace,
  type Devices,
  deleteDevice,
  readDevice,
  updateDevice,
} from './devices';
export { BelfryError, type BelfryErrorCode } from './errors';
export { bulkSend, dryRunEvent, type Events, sendEvent } from './events';
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
export type {
  BelfryOptions,
  CallerSignal,
  CallOptions,
  Fetch,
  FetchInit,
  FetchResponse,
  WriteOptions,
} from './options';
export { type Push, reportPushStatus } from './push';
export { type RequestPage, type Requests, readRequest } from './requests';
export { type CaptureFilter, type Sandbox, waitForCaptures } from './sandbox';
export { type InboxPage, listInbox, readUser, type Users, writeUser } from './users';
