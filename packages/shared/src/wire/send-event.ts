import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Data, Json } from '../data';
import { wireCancelKey } from './cancel';
import { describeAlias } from './describe-alias';
import { limits } from './limits';
import { withInterfaceNames } from './members';
import { type Metadata, wireMetadata } from './metadata';
import { createWireUser, type WireUser } from './recipient';
import { wireSchedule } from './schedule';
import { createValidator } from './validate';

/** The wire schemas of each channel in the registry; a new channel is in the API schema at once. */
export type WireChannels = Record<
  string,
  {
    /** Schema of `override.<channel>`. */
    override: TObject;
    /** Fields of `user` beyond the interface. */
    recipient: Record<string, TSchema>;
  }
>;

/** Content that replaces the templates, in wire names: by channel, and `providers` by integration. */
export type WireOverride = { readonly [channelOrProviders: string]: unknown };

/** One recipient with its values: a single send, or one element of a batch. Its members have wire names inside. */
export type WireItem = {
  user?: WireUser;
  data?: Data;
  override?: WireOverride;
  /** Not parsed; see readSchedule. `override.<channel>.schedule_at` wins: see getSchedule. */
  scheduleAt?: number | string;
  /** `user.preferences.locale` wins. */
  locale?: string;
  metadata?: Metadata;
  cancelKey?: string;
};

type SendEventBody = Static<ReturnType<typeof createSendEventBody>>;

/** Reads the body of a single send, without nulls; throws an AppError with its problems. */
export type ReadSend = (body: Json) => { eventName: string; item: WireItem };

/** Every caller of a single send uses this: the API, the dry run, and the dashboard's test and preview. */
export function createReadSend(channels: WireChannels): ReadSend {
  const validate = createValidator(createSendEventBody(channels));
  return function readSend(body) {
    const send = validate(withInterfaceNames(body));
    return { eventName: send.event, item: itemFromWire(send) };
  };
}

/** The schema of the body of `events/send`, built from the registered channels. */
export function createSendEventBody(channels: WireChannels) {
  const element = createElementFields(channels);
  return Type.Object({ event: eventName, ...element, user: Type.Optional(element.user) });
}

/** Members of an element of a batch. A single send has the same ones in the same order, with an optional user. */
export function createElementFields(channels: WireChannels) {
  return {
    data: Type.Optional(wireData),
    user: createWireUser(collectExtraFields(channels)),
    ...createItemFields(channels),
  };
}

/** Send options of a single send or an element of a batch; a bulk send has them too, as defaults for its elements. */
export function createItemFields(channels: WireChannels) {
  return {
    override: Type.Optional(createWireOverride(channels)),
    ...wireSchedules,
    locale: Type.Optional(
      Type.String({
        maxLength: limits.localeCharacters,
        description:
          'Language of the template, as a BCP 47 tag such as pt-BR. `user.preferences.locale` has the same meaning and wins. `de_AT` matches `de`. Without a match, the default language is used.',
      }),
    ),
    metadata: Type.Optional(wireMetadata),
    cancel_key: Type.Optional(wireCancelKey),
  };
}

type ItemFields = Omit<SendEventBody, 'event'>;

export function itemFromWire(fields: ItemFields): WireItem {
  const { user, data, override, metadata, cancel_key: cancelKey } = fields;
  const scheduleAt = findSchedule(fields);
  const locale = fields.locale?.trim();
  // Member by member for speed: a bulk send has a thousand of these.
  const item: WireItem = {};
  if (user !== undefined) item.user = user;
  if (data !== undefined) item.data = data;
  if (override !== undefined) item.override = override;
  if (scheduleAt !== undefined) item.scheduleAt = scheduleAt;
  if (locale) item.locale = locale;
  if (metadata !== undefined && Object.keys(metadata).length > 0) item.metadata = metadata;
  if (cancelKey !== undefined) item.cancelKey = cancelKey;
  return item;
}

function findSchedule(fields: ItemFields): number | string | undefined {
  for (const name of scheduleNames) {
    const value = fields[name];
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** The override of one channel, if any. */
function getOverride(
  item: Pick<WireItem, 'override'>,
  channel: string,
): Record<string, unknown> | undefined {
  const override = item.override;
  if (!override || !Object.hasOwn(override, channel)) return undefined;
  const channelOverride = override[channel];
  return isRecord(channelOverride) ? channelOverride : undefined;
}

/** The send time of a channel of an item, not parsed: the channel's own, else the item's. */
export function getSchedule(
  item: Pick<WireItem, 'override' | 'scheduleAt'>,
  channel: string,
): unknown {
  const override = getOverride(item, channel);
  return findFirstValue([...scheduleNames.map((name) => override?.[name]), item.scheduleAt]);
}

/** The recipient fields that channels declare beyond the interface. */
export function collectExtraFields(channels: WireChannels): Record<string, TSchema> {
  return Object.assign({}, ...Object.values(channels).map((channel) => channel.recipient));
}

/** Spellings of the schedule in a request and in a channel: clients differ. The first one with a value wins. */
const scheduleNames = ['schedule_at', 'scheduleAt', 'scheduled_at', 'scheduledAt'] as const;

/** An empty string counts as absent. */
function findFirstValue<T>(values: readonly T[]): T | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

export const eventName = Type.String({
  maxLength: limits.eventCharacters,
  pattern: '\\S',
  'x-problem': 'must not be blank',
  description: 'Name of the configured event.',
});

const wireData = Type.Unsafe<Data>({
  type: 'object',
  'x-max-json-bytes': limits.dataBytes,
  description: 'Values for the placeholders of the templates. Null prints nothing.',
});

const aliasOfSchedule = Type.Unsafe<number | string>({
  ...wireSchedule,
  description: describeAlias('schedule_at'),
});

const wireSchedules = {
  schedule_at: Type.Optional(wireSchedule),
  scheduleAt: Type.Optional(aliasOfSchedule),
  scheduled_at: Type.Optional(aliasOfSchedule),
  scheduledAt: Type.Optional(aliasOfSchedule),
} satisfies Record<(typeof scheduleNames)[number], unknown>;

function createWireOverride(channels: WireChannels) {
  const byChannel = Object.entries(channels).map(([name, { override }]) => [
    name,
    Type.Optional(
      Type.Object({
        ...override.properties,
        ...wireSchedules,
      }),
    ),
  ]);
  const all = Type.Object({
    ...Object.fromEntries(byChannel),
    providers: Type.Optional(providerPayloads),
  });
  return Type.Unsafe<WireOverride>({
    ...all,
    description:
      'Content that replaces the templates in this request. Text is literal, not rendered.',
  });
}

// Values are not typed: one old client sends a single provider object instead of the map.
const providerPayloads = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description:
    'By integration name: `payload` is merged last into the request to the provider, if the provider allows its fields.',
  additionalProperties: { properties: { payload: { type: 'object' } } },
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
