import { Type } from '@sinclair/typebox';
import type { Json } from '../data';
import { AppError } from '../errors';
import { createWireUser } from './recipient';
import {
  createItemFields,
  eventName,
  extraFieldsOf,
  findScheduleProblem,
  itemFromWire,
  type WireChannels,
  type WireItem,
  type WireOverride,
  wireData,
} from './send-event';
import { withInterfaceNames } from './user-names';
import { createValidator } from './validate';
import { withoutNulls } from './without-nulls';

/** The body of a bulk without its elements. */
export type BulkHead = {
  eventName: string;
  /** What holds for every element without its own. */
  all: WireItem;
  elements: readonly Json[];
  /** What was given beside the elements, nulls left out. */
  given: Json;
};

export type BulkElement = {
  item: WireItem;
  /** What was given, nulls left out. */
  given: Json;
};

/** Reads a batch element by element, so that others can have their turn between them. Both throw the AppError of the first problem. */
export type BulkReader = {
  readHead(body: Json, now: Date): BulkHead;
  readElement(head: BulkHead, index: number, now: Date): BulkElement;
};

export type BulkLimits = {
  maxItems: number;
  /** Of the override that is stored with every element. */
  maxInheritedBytes: number;
};

/** The schema of the body of `events/bulk_send`, whole. */
export function createBulkSendBody(channels: WireChannels, maxItems: number) {
  const { properties } = createHead(channels, maxItems);
  const batch = Type.Array(createElement(channels), batchRules(maxItems));
  return Type.Object({ ...properties, batch });
}

export function createBulkReader(channels: WireChannels, limits: BulkLimits): BulkReader {
  const validateHead = createValidator(createHead(channels, limits.maxItems));
  const validateElement = createValidator(createElement(channels));
  const channelNames = Object.keys(channels);

  return {
    readHead(body, now) {
      const { given, elements } = splitBody(body);
      const head = validateHead(elements === undefined ? given : withBatch(given, elements));
      refuse(findScheduleProblem(head, channelNames, now));
      const all = itemFromWire(head);
      refuse(findSizeProblem(all.override, head.batch.length, limits.maxInheritedBytes));
      return { eventName: head.event, all, elements: head.batch, given };
    },
    readElement({ all, elements }, index, now) {
      const given = withoutNulls(elements[index] ?? null);
      const element = validateElement(withInterfaceNames(given), ['batch', index]);
      const problem = findScheduleProblem(element, channelNames, now);
      refuse(problem && `batch[${index}].${problem}`);
      return { item: inherit(all, itemFromWire(element)), given };
    },
  };
}

function createElement(channels: WireChannels) {
  return Type.Object({
    user: createWireUser(extraFieldsOf(channels)),
    data: Type.Optional(wireData),
    ...createItemFields(channels),
  });
}

function createHead(channels: WireChannels, maxItems: number) {
  const elements = Type.Unsafe<Json[]>({ type: 'array', ...batchRules(maxItems) });
  return Type.Object({ event: eventName, batch: elements, ...createItemFields(channels) });
}

function batchRules(maxItems: number) {
  return { minItems: 1, maxItems, 'x-problem': 'must not be empty' };
}

function splitBody(body: Json): { given: Json; elements: Json | undefined } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { given: body, elements: undefined };
  }
  const { batch, ...head } = body;
  return { given: withoutNulls(head), elements: batch ?? undefined };
}

function withBatch(given: Json, batch: Json): Json {
  return Object.assign({}, given, { batch });
}

/** An override counts by channel: what an element says for one channel leaves the others as the head has them. */
function inherit(all: WireItem, own: WireItem): WireItem {
  if (Object.keys(all).length === 0) return own;
  const override = all.override && { ...all.override, ...givenOnly(own.override) };
  return { ...all, ...own, ...(override ? { override } : {}) };
}

/** Old clients fill in what they do not use: what is empty says nothing. */
function givenOnly(override: WireOverride | undefined): WireOverride {
  return Object.fromEntries(
    Object.entries(override ?? {}).filter(([, value]) => Object.keys(Object(value)).length > 0),
  );
}

function findSizeProblem(
  override: WireOverride | undefined,
  count: number,
  maxBytes: number,
): string | undefined {
  if (!override) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(override)) * count;
  return bytes > maxBytes
    ? `override must be at most ${Math.floor(maxBytes / count)} bytes for ${count} elements`
    : undefined;
}

function refuse(problem: string | undefined): void {
  if (problem) throw new AppError('validation_failed', problem, { errors: [problem] });
}
