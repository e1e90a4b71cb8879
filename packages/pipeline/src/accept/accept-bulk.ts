import { hash } from 'node:crypto';
import { createYieldWhenDue } from '@belfry/runtime';
import {
  type BulkElement,
  type BulkHead,
  type BulkReader,
  canonicalJson,
  createRefusals,
  type Json,
} from '@belfry/shared';
import { type AcceptCallDeps, createAcceptCall, type EventCall, newItem } from './accept';
import type { KeyOutcome } from './stored-key';
import type { NewItem } from './write.sql';

export type BulkSendDeps = AcceptCallDeps & { reader: BulkReader };

export type BatchInput = {
  callId: string;
  body: Json;
  /** Whether the request has an idempotency key, so that `canonical` is needed. */
  isKeyed: boolean;
};

/** A valid batch. */
export type Batch = {
  eventName: string;
  items: NewItem[];
  /** The same text for all batches that mean the same. */
  canonical: string;
};

export type BulkSendInput = Omit<EventCall, 'eventName'> & { batch: Batch };

export type BulkSend = {
  /** Throws one AppError that lists all problems of the batch. */
  readBatch(input: BatchInput): Promise<Batch>;
  /** Accepts the whole batch or nothing; fan-out plans its items. See createAcceptCall. */
  acceptBatch(input: BulkSendInput): Promise<KeyOutcome>;
};

const yieldEveryMs = 1;

export function createBulkSend({ reader, ...deps }: BulkSendDeps): BulkSend {
  const acceptCall = createAcceptCall(deps);

  async function readBatch({ callId, body, isKeyed }: BatchInput): Promise<Batch> {
    const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
    const head = reader.readHead(body);
    const items: NewItem[] = [];
    const canonical = createCanonical(head, isKeyed);
    const refusals = createRefusals(body, head.refusal);
    for (let index = 0; index < head.elements.length && !refusals.isFull(); index += 1) {
      const element = refusals.read(() => reader.readElement(head, index));
      if (element) {
        items.push(newItem(element.item, deps.secrets, { callId, index }));
        canonical.add(element);
      }
      const due = yieldWhenDue();
      if (due !== undefined) await due;
    }
    refusals.throwAny();
    return { eventName: head.eventName, items, canonical: canonical.end() };
  }

  return {
    readBatch,
    acceptBatch: ({ batch, ...call }) =>
      acceptCall(
        { ...call, eventName: batch.eventName },
        { kind: 'bulk', createItems: () => batch.items },
      ),
  };
}

/** Hashes elements in groups: keeping each text doubles memory, and one hash of the whole batch blocks the event loop. */
function createCanonical({ fields }: BulkHead, isKeyed: boolean) {
  const segments = [canonicalJson(fields)];
  let text = '';

  function close(): void {
    segments.push(hash('sha256', text, 'base64'));
    text = '';
  }

  return {
    add(element: BulkElement): void {
      if (!isKeyed) return;
      // JSON contains no raw line break, so two different lists never give the same text.
      text += `${canonicalJson(element.fields)}\n`;
      if (text.length >= hashedCharacters) close();
    },
    end(): string {
      close();
      return segments.join('\n');
    },
  };
}

const hashedCharacters = 32 * 1024;
