import { hash } from 'node:crypto';
import type { KeyOutcome, NewItem } from '@belfry/database';
import { createYieldWhenDue } from '@belfry/runtime';
import type { BulkElement, BulkReader, Json } from '@belfry/shared';
import { type AcceptCallDeps, createAcceptCall, type EventCall, newItem } from './accept-call';
import { canonicalJson } from './fingerprint';

export type BulkSendDeps = AcceptCallDeps & { reader: BulkReader; now: () => Date };

export type BatchInput = {
  callId: string;
  body: Json;
  /** Whether its text will be asked for. */
  isKeyed: boolean;
};

/** A batch that breaks no rule. */
export type Batch = {
  eventName: string;
  items: NewItem[];
  /** One text for every batch that means the same, each element by its hash. */
  canonical: string;
};

export type BulkSendInput = Omit<EventCall, 'eventName'> & { batch: Batch };

export type BulkSend = {
  /** Throws the AppError of the first element that breaks a rule. */
  readBatch(input: BatchInput): Promise<Batch>;
  /** Accepts all of a batch or nothing; fanout plans its items. See createAcceptCall. */
  acceptBatch(input: BulkSendInput): Promise<KeyOutcome>;
};

const yieldEveryMs = 10;

export function createBulkSend({ reader, now, ...deps }: BulkSendDeps): BulkSend {
  const acceptCall = createAcceptCall(deps);

  async function readBatch({ callId, body, isKeyed }: BatchInput): Promise<Batch> {
    const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
    const head = reader.readHead(body, now());
    const items: NewItem[] = [];
    const hashes = [canonicalJson(head.given)];
    for (let index = 0; index < head.elements.length; index += 1) {
      const element = reader.readElement(head, index, now());
      items.push(itemOf(element, callId, index));
      if (isKeyed) hashes.push(hashOf(element));
      await yieldWhenDue();
    }
    return { eventName: head.eventName, items, canonical: hashes.join('\n') };
  }

  function itemOf({ item }: BulkElement, callId: string, index: number): NewItem {
    return { ...newItem(item, deps.secrets, { callId, index }), plan: undefined };
  }

  return {
    readBatch,
    acceptBatch: ({ batch, ...call }) =>
      acceptCall(
        { ...call, eventName: batch.eventName },
        { kind: 'bulk', createItems: async () => batch.items },
      ),
  };
}

function hashOf({ given }: BulkElement): string {
  return hash('sha256', canonicalJson(given), 'base64');
}
