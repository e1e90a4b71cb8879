import { Type } from '@sinclair/typebox';
import {
  type NotificationContent,
  type NotificationTemplate,
  notificationOverride,
  notificationTemplate,
} from '../notification/template';

export const onesignalTemplate = notificationTemplate;

export const onesignalOverride = Type.Object({ message: Type.Optional(notificationOverride) });

export type OnesignalTemplate = NotificationTemplate;
export type OnesignalOverride = { message?: (typeof notificationOverride)['static'] };
export type OnesignalContent = NotificationContent;

export const onesignalLimits = {
  /** The limit of Apple and Google for one notification. */
  payloadBytes: 4_096,
  /** OneSignal's own limit for the data as JSON. */
  dataBytes: 2_048,
} as const;
