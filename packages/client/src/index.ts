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
export { bulkSend, cancelMessages, dryRunEvent, type Events, sendEvent } from './events';
export type {
  BulkElement,
  BulkSendAnswer,
  BulkSendBody,
  CancelAnswer,
  CancelBody,
  CapturedMessage,
  DeleteDeviceAnswer,
  DeleteWebhookAnswer,
  Device,
  DeviceBody,
  DryRunAnswer,
  GatewayErrorCode,
  Inbox,
  NewDeviceBody,
  NewWebhookBody,
  Override,
  Preferences,
  PreferencesBody,
  PushStatusAnswer,
  PushStatusBody,
  Recipient,
  RequestMessage,
  RequestStatus,
  ResendFailedAnswer,
  SandboxWaitAnswer,
  SendEventAnswer,
  SendEventBody,
  StateCounts,
  User,
  UserBody,
  Webhook,
  WebhookBody,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEvent,
  WebhookExampleBody,
  WebhookList,
  WebhookMessage,
  WebhookType,
  WebhookWithSecret,
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
export {
  findRequest,
  type RequestPage,
  type RequestQuery,
  type Requests,
  readRequest,
} from './requests';
export { type CaptureFilter, type Sandbox, waitForCaptures } from './sandbox';
export {
  type InboxPage,
  listInbox,
  readPreferences,
  readUser,
  type Users,
  writePreferences,
  writeUser,
} from './users';
export {
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
} from './verify-webhook';
export type { DeliveryPage, Webhooks } from './webhooks';
