import { hash } from 'node:crypto';
import type { NewItem } from '@belfry/database';
import { createYieldWhenDue } from '@belfry/runtime';
import type { BulkElement, BulkReader, Json } from '@belfry/shared';
import {
  type AcceptCallDeps,
  type Accepted,
  createAcceptCall,
  type EventCall,
  newItem,
} from './accept-call';
import { canonicalJson } from './fingerprint';

export type BulkSendDeps = AcceptCallDeps & { reader: BulkReader; now: () => Date };

export type BulkSendInput = Omit<EventCall, 'eventName'> & { body: Json };

export type BulkAccepted = Accepted & { accepted: number };

export type BulkSend = (input: BulkSendInput) => Promise<BulkAccepted>;

const route = 'POST /v1/apps/{app_id}/events/bulk_send';
const yieldEveryMs = 10;

/**
 * Accepts a batch, all of it or nothing; fanout plans its items. Beside what createAcceptCall
 * throws, the AppError of the first element that breaks a rule.
 */
export function createBulkSend({ reader, now, ...deps }: BulkSendDeps): BulkSend {
  const acceptCall = createAcceptCall(deps);

  return async function bulkSend({ body, ...call }) {
    const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
    const head = reader.readHead(body, now());
    const items: NewItem[] = [];
    const hashes = [canonicalJson(head.given)];
    for (let index = 0; index < head.elements.length; index += 1) {
      const element = reader.readElement(head, index, now());
      items.push(itemOf(element, call.callId, index));
      if (call.idempotencyKey !== undefined) hashes.push(hashOf(element));
      await yieldWhenDue();
    }
    const accepted = await acceptCall(
      { ...call, eventName: head.eventName },
      {
        kind: 'bulk',
        fingerprintText: () => [route, call.app.id, ...hashes].join('\n'),
        createItems: async () => items,
      },
    );
    return { ...accepted, accepted: items.length };
  };

  function itemOf({ item }: BulkElement, callId: string, index: number): NewItem {
    return { ...newItem(item, deps.secrets, { callId, index }), plan: undefined };
  }
}

function hashOf({ given }: BulkElement): string {
  return hash('sha256', canonicalJson(given), 'base64');
}
