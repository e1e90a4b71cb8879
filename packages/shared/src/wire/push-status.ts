import { type Static, Type } from '@sinclair/typebox';
import type { ReceiptState } from '../message-state';
import { limits } from './limits';

/** The message state for each status that an app reports. A dismissed notification was seen, not opened. */
const statesByType = {
  DELIVERED: 'delivered',
  CLICKED: 'read',
  DISMISSED: 'delivered',
} as const satisfies Record<string, ReceiptState>;

type StatusType = keyof typeof statesByType;

/** Clients send milliseconds or microseconds, as a number or as digits. */
const clock = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: limits.scheduleCharacters,
});

export const pushStatusBody = Type.Object({
  notification_id: Type.String({
    pattern: '\\S',
    maxLength: limits.identifierCharacters,
    'x-problem': 'must not be blank',
    description: '`raven_notification_id` in the data of the notification.',
  }),
  type: Type.Unsafe<StatusType>({
    type: 'string',
    enum: Object.keys(statesByType),
    'x-problem': `must be one of ${Object.keys(statesByType).join(', ')}`,
  }),
  timestamp: Type.Optional(clock),
  current_timestamp: Type.Optional(clock),
});

export const pushStatusAnswer = Type.Object({ success: Type.Boolean() });

export type PushStatus = { messageId: string; type: StatusType; state: ReceiptState };

export type PushStatusBody = Static<typeof pushStatusBody>;

export function pushStatusFromWire({ notification_id: id, type }: PushStatusBody): PushStatus {
  return { messageId: id.trim(), type, state: statesByType[type] };
}
