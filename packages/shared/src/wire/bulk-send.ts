import { Type } from '@sinclair/typebox';
import type { Json } from '../data';
import { AppError, type FieldProblem, maxProblems } from '../errors';
import { withInterfaceNames, withoutNulls } from './members';
import {
  createElementFields,
  createItemFields,
  eventName,
  itemFromWire,
  type WireChannels,
  type WireItem,
  type WireOverride,
} from './send-event';
import { createValidator } from './validate';

/** The body of a bulk without its elements. */
export type BulkHead = {
  eventName: string;
  /** Defaults for elements without their own value. */
  all: WireItem;
  elements: readonly Json[];
  /** The members outside of the batch, without nulls. */
  fields: Json;
  /** Problems outside of the batch: the batch is refused, and its elements may have further problems. */
  refusal: AppError | undefined;
};

export type BulkElement = {
  item: WireItem;
  /** The members of the element, without nulls. */
  fields: Json;
};

/** Reads a batch element by element, so that the caller can yield between them. */
export type BulkReader = {
  /** Throws an AppError if the batch cannot be read; other problems are in `refusal`. */
  readHead(body: Json): BulkHead;
  /** Throws an AppError with the element's problems. */
  readElement(head: BulkHead, index: number): BulkElement;
};

export type BulkLimits = {
  maxItems: number;
  /** Limit of the override, and of the metadata, that are stored with every element. */
  maxInheritedBytes: number;
};

/** The complete schema of the body of `events/bulk_send`. */
export function createBulkSendBody(channels: WireChannels, maxItems: number) {
  const { properties } = createHead(channels, maxItems);
  const batch = Type.Array(createElement(channels), createBatchRules(maxItems));
  return Type.Object({ ...properties, batch });
}

export function createBulkReader(channels: WireChannels, limits: BulkLimits): BulkReader {
  const validateHead = createValidator(createHead(channels, limits.maxItems));
  const validateElement = createValidator(createElement(channels));

  function readSoundHead({ fields, elements }: SplitBody): Omit<BulkHead, 'refusal'> {
    const head = validateHead(elements === undefined ? fields : addBatch(fields, elements));
    const all = itemFromWire(head);
    refuseSize(all, head.batch.length, limits.maxInheritedBytes);
    return { eventName: head.event, all, elements: head.batch, fields };
  }

  return {
    readHead(body) {
      const split = splitBody(body);
      try {
        return { ...readSoundHead(split), refusal: undefined };
      } catch (error) {
        if (!(error instanceof AppError) || !isBatchReadable(split, error)) throw error;
        const { fields, elements } = split;
        return { eventName: '', all: {}, elements, fields, refusal: error };
      }
    },
    readElement({ all, elements }, index) {
      const fields = withoutNulls(elements[index] ?? null);
      const element = validateElement(withInterfaceNames(fields), ['batch', index]);
      return { item: mergeItems(all, itemFromWire(element)), fields };
    },
  };
}

/** Collects the problems of a batch, so that one error lists all of them. */
export function createRefusals(body: Json, headRefusal: AppError | undefined) {
  const problems: FieldProblem[] = [...(headRefusal?.problems ?? [])];
  let first = headRefusal;

  return {
    isFull: () => problems.length >= maxProblems,

    /** Undefined for a refused element. */
    read(readElement: () => BulkElement): BulkElement | undefined {
      try {
        return readElement();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        first ??= error;
        problems.push(...error.problems);
        return undefined;
      }
    },

    /** Throws the first error, with all problems in the order of the body. */
    throwAny(): void {
      if (!first) return;
      const names = Object.keys(Object(body));
      const getPlace = ({ path }: FieldProblem) => names.indexOf(path.split(/[.[]/, 1)[0] ?? '');
      problems.sort((a, b) => getPlace(a) - getPlace(b));
      throw new AppError(first.code, first.message, { problems });
    },
  };
}

function createElement(channels: WireChannels) {
  return Type.Object(createElementFields(channels));
}

function createHead(channels: WireChannels, maxItems: number) {
  const elements = Type.Unsafe<Json[]>({ type: 'array', ...createBatchRules(maxItems) });
  return Type.Object({ event: eventName, batch: elements, ...createItemFields(channels) });
}

function createBatchRules(maxItems: number) {
  return { minItems: 1, maxItems, 'x-problem': 'must not be empty' };
}

type SplitBody = { fields: Json; elements: Json | undefined };

function isBatchReadable(
  split: SplitBody,
  { problems }: AppError,
): split is SplitBody & { elements: Json[] } {
  return Array.isArray(split.elements) && problems.every(({ path }) => path !== 'batch');
}

function splitBody(body: Json): SplitBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { fields: body, elements: undefined };
  }
  const { batch, ...head } = body;
  return { fields: withoutNulls(head), elements: batch ?? undefined };
}

function addBatch(fields: Json, batch: Json): Json {
  return Object.assign({}, fields, { batch });
}

/** Merges overrides by channel: an element's override of one channel keeps the batch's overrides of the others. */
function mergeItems(all: WireItem, own: WireItem): WireItem {
  if (Object.keys(all).length === 0) return own;
  const override = all.override && { ...all.override, ...dropEmptyOverrides(own.override) };
  return { ...all, ...own, ...(override ? { override } : {}) };
}

/** Old clients send empty overrides for channels that they do not use. */
function dropEmptyOverrides(override: WireOverride | undefined): WireOverride {
  return Object.fromEntries(
    Object.entries(override ?? {}).filter(([, value]) => Object.keys(Object(value)).length > 0),
  );
}

function refuseSize(all: WireItem, count: number, maxBytes: number): void {
  for (const path of ['override', 'metadata'] as const) {
    const value = all[path];
    if (!value || Buffer.byteLength(JSON.stringify(value)) * count <= maxBytes) continue;
    const problem = `must be at most ${Math.floor(maxBytes / count)} bytes for ${count} elements`;
    const problems = [{ path, problem }];
    throw new AppError('validation_failed', `${path} ${problem}`, { problems });
  }
}
