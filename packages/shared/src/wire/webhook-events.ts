import { type Static, type TObject, Type } from '@sinclair/typebox';
import { type AlertKind, alertKindNames } from '../alerts';
import { type MessageState, messageStates } from '../message-state';
import { type UnsubscribeSource, unsubscribeSources } from '../preferences';
import { stateCounts } from './request-status';

const uuid = Type.String({ format: 'uuid' });
const text = (description: string) => Type.Optional(Type.String({ description }));
const testFlag = {
  test: Type.Optional(
    Type.Boolean({ description: 'True for an example, and for a test send from the dashboard.' }),
  ),
};
const time = { description: 'ISO 8601: when it happened.' };

const messageData = Type.Object({
  app_id: uuid,
  request_id: uuid,
  item: Type.Integer({ description: 'Index of the element in the batch; 0 for a single send.' }),
  message_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Absent if planning skipped the channel, so that there is no message.',
    }),
  ),
  event: text('Name of the event. Absent after retention deleted the request.'),
  user_id: text('Absent if the request named none, and after the user was erased.'),
  channel: Type.String(),
  target: text('The address, masked. Absent for sensitive events, and after the user was erased.'),
  state: Type.Unsafe<MessageState>({ type: 'string', enum: Object.keys(messageStates) }),
  reason: text('Why it was skipped or failed.'),
  attempts: Type.Optional(Type.Integer({ description: 'Provider calls until then.' })),
  possible_duplicate: Type.Optional(
    Type.Boolean({ description: 'An earlier attempt may have been sent too.' }),
  ),
  generation: Type.Optional(
    Type.Integer({ description: '0 for the first message; each resend adds 1.' }),
  ),
  resend_of: Type.Optional(
    Type.String({ format: 'uuid', description: 'The message that this one resends.' }),
  ),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: '`metadata` of the send. Absent for sensitive events.',
    }),
  ),
  metadata_omitted: Type.Optional(
    Type.Boolean({ description: 'The body would exceed 20,000 bytes with `metadata`.' }),
  ),
  ...testFlag,
});

const requestData = Type.Object({
  app_id: uuid,
  request_id: uuid,
  event: Type.Optional(Type.String()),
  items: Type.Integer({ description: 'Number of elements in the batch.' }),
  counts: stateCounts,
  ...testFlag,
});

const deviceData = Type.Object({
  app_id: uuid,
  device_sid: uuid,
  user_id: text('Absent after the device or its user was removed.'),
  platform: Type.Optional(Type.String()),
  reason: Type.String({ description: 'The code of the provider.' }),
  ...testFlag,
});

const addressData = Type.Object({
  app_id: uuid,
  suppression_id: uuid,
  channel: Type.String(),
  target: text('The address, masked. Absent after the suppression was removed.'),
  sender: text('The sender that it applies to. Absent if it applies to every sender.'),
  reason: Type.String(),
  ...testFlag,
});

const unsubscribedData = Type.Object({
  app_id: uuid,
  user_sid: uuid,
  user_id: text('Absent after the user was removed.'),
  channel: Type.Union([Type.String(), Type.Null()], {
    description: 'The channel that was switched off; null for all channels.',
  }),
  category: Type.Union([Type.String(), Type.Null()], {
    description: 'The category that was switched off; null for all categories.',
  }),
  source: Type.Unsafe<UnsubscribeSource>({
    type: 'string',
    enum: [...unsubscribeSources],
    description: 'How it was switched off.',
  }),
  ...testFlag,
});

const integrationData = Type.Object({
  app_id: uuid,
  integration_id: uuid,
  name: text('Absent after the integration was removed.'),
  channel: Type.String(),
  provider: Type.String(),
  reason: text('The answer of the provider.'),
  ...testFlag,
});

const alertData = Type.Object({
  app_id: uuid,
  alert_id: Type.String({ format: 'uuid', description: 'The same when it fires and resolves.' }),
  rule_id: uuid,
  kind: Type.Unsafe<AlertKind>({ type: 'string', enum: alertKindNames }),
  rule: Type.String({ description: 'The rule in words.' }),
  sentence: Type.String({ description: 'What was found, with figures.' }),
  ...testFlag,
});

const exampleIds = {
  request_id: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42',
  message_id: '0199b1f4-8f2b-7a10-8c44-5d2e1f3a4b60',
};
const sentExample = {
  ...{ request_id: exampleIds.request_id, item: 0, message_id: exampleIds.message_id },
  ...{ event: 'order_shipped', user_id: 'customer-1', channel: 'email', state: 'sent' },
  ...{ target: 'a***@example.com', attempts: 1, possible_duplicate: false, generation: 0 },
};

const alertExample = {
  alert_id: '0199b1f4-c400-7051-8c90-6eaf4081bd36',
  rule_id: '0199b1f4-c500-7161-8da0-7fb05192ce47',
  kind: 'failure_rate',
  rule: 'Failure rate over 10 % in 15 min, with at least 20 messages',
};

/** Every type of webhook: when it is sent, its data, and an example of it without `app_id`. */
export const webhookTypes = {
  'message.sent': { means: messageStates.sent.means, data: messageData, example: sentExample },
  'message.delivered': {
    means: messageStates.delivered.means,
    data: messageData,
    example: { ...sentExample, state: 'delivered' },
  },
  'message.read': {
    means: messageStates.read.means,
    data: messageData,
    example: { ...sentExample, state: 'read' },
  },
  'message.failed': {
    means: messageStates.failed.means,
    data: messageData,
    example: { ...sentExample, state: 'failed', reason: 'rejected_recipient' },
  },
  'message.skipped': {
    means: `${messageStates.skipped.means} Also sent for a channel that planning skipped.`,
    data: messageData,
    example: { ...sentExample, state: 'skipped', reason: 'opted_out' },
  },
  'message.unknown': {
    means: messageStates.unknown.means,
    data: messageData,
    example: { ...sentExample, state: 'unknown' },
  },
  'request.completed': {
    means: 'No message of a bulk send waits any more.',
    data: requestData,
    example: {
      ...{ request_id: exampleIds.request_id, event: 'order_shipped', items: 2 },
      counts: {
        ...{ total: 2, waiting: 0, sent: 1, delivered: 0, read: 0, failed: 0, unknown: 0 },
        ...{ skipped: 1, skipped_by_reason: { no_address: 1 } },
      },
    },
  },
  'device.disabled': {
    means: 'The provider reported that the push token of a device is invalid.',
    data: deviceData,
    example: {
      ...{ device_sid: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03', user_id: 'customer-1' },
      ...{ platform: 'android', reason: 'UNREGISTERED' },
    },
  },
  'address.suppressed': {
    means: 'An address bounced, opted out, or was suppressed by an operator.',
    data: addressData,
    example: {
      ...{ suppression_id: '0199b1f4-a200-7e31-9a70-4c8d2e6f9b14', channel: 'email' },
      ...{ target: 'a***@example.com', reason: 'bounced' },
    },
  },
  'user.unsubscribed': {
    means:
      'The stored preferences of a user went from on to off, for everything, a channel, a category, or both.',
    data: unsubscribedData,
    example: {
      ...{ user_sid: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42', user_id: 'customer-1' },
      ...{ channel: 'email', category: 'news', source: 'api' },
    },
  },
  'integration.needs_attention': {
    means: 'The provider refused the credentials or the sender of an integration.',
    data: integrationData,
    example: {
      ...{ integration_id: '0199b1f4-b300-7f41-8b80-5d9e3f70ac25', name: 'Mail server' },
      ...{ channel: 'email', provider: 'smtp', reason: 'The server refused the password.' },
    },
  },
  'alert.fired': {
    means: 'An alert rule fired.',
    data: alertData,
    example: { ...alertExample, sentence: '12 of 200 messages failed (6.0 %).' },
  },
  'alert.resolved': {
    means: 'The condition of a fired alert rule does not hold any more.',
    data: alertData,
    example: { ...alertExample, sentence: 'The condition does not hold any more.' },
  },
} as const satisfies Record<string, { means: string; data: TObject; example: object }>;

export type WebhookType = keyof typeof webhookTypes;

// Safe cast: a constant object has exactly the keys of its type.
export const webhookTypeNames = Object.keys(webhookTypes) as WebhookType[];

/** The body of a webhook. */
export type WebhookEvent = {
  [T in WebhookType]: {
    type: T;
    timestamp: string;
    data: Static<(typeof webhookTypes)[T]['data']>;
  };
}[WebhookType];

export const webhookEvent = Type.Unsafe<WebhookEvent>(
  Type.Union(
    webhookTypeNames.map((type) => {
      const { means, data } = webhookTypes[type];
      const members = { type: Type.Literal(type), timestamp: Type.String(time), data };
      return Type.Object(members, { description: means });
    }),
  ),
);
