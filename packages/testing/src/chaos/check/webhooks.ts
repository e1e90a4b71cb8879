import { filterEntries } from '../recording';
import type { Facts, Violation } from './facts';

const nameState = ({ messageId, state }: { messageId: string; state: string }) =>
  `${state} of ${messageId}`;

/** E1: after de-duplication by ID, each state of each message arrived once, and no other. */
export function checkWebhooks({ entries }: Facts): Violation[] {
  const idsByState = new Map<string, Set<string>>();
  for (const webhook of filterEntries(entries, 'webhook')) {
    const ids = idsByState.get(nameState(webhook)) ?? new Set();
    idsByState.set(nameState(webhook), ids.add(webhook.id));
  }
  const states = new Set(filterEntries(entries, 'state').map(nameState));
  return [
    ...[...states]
      .filter((state) => !idsByState.has(state))
      .map((state) => ({ invariant: 'E1', detail: `no webhook arrived for ${state}` })),
    ...[...idsByState].flatMap(([state, ids]) => {
      if (!states.has(state)) {
        return [{ invariant: 'E1', detail: `a webhook arrived for ${state}, which never was` }];
      }
      return ids.size === 1
        ? []
        : [{ invariant: 'E1', detail: `${ids.size} different webhooks arrived for ${state}` }];
    }),
  ];
}
