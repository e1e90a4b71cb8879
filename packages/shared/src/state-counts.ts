import type { MessageState } from './message-state';

/** The counter of each state, as used by the log, the request page and the request status. */
export const countedAs = {
  queued: 'waiting',
  sending: 'waiting',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  unknown: 'unknown',
  skipped: 'skipped',
} as const satisfies Record<MessageState, string>;

type CountName = (typeof countedAs)[MessageState];

/**
 * Number of messages of a channel with one state and reason. If an item has no message on a channel, the channel counts
 * as one: `skipped` with its reason, or `queued` until the item is planned. A message that was resent does not count.
 */
export type StateGroup = {
  channel: string;
  state: MessageState;
  reason: string | null;
  count: number;
};

/** All counts add up to `total`; those of `skippedByReason` add up to `skipped`. */
export type StateCounts = Record<CountName, number> & {
  total: number;
  skippedByReason: Record<string, number>;
};

/** Stands for a missing reason in counts and filters. */
export const noReason = 'no_reason';

export function countStates(groups: readonly StateGroup[]): StateCounts {
  const counts: StateCounts = { ...zeroCounts, skippedByReason: {} };
  for (const { state, reason, count } of groups) {
    counts.total += count;
    counts[countedAs[state]] += count;
    if (state !== 'skipped') continue;
    const name = reason ?? noReason;
    counts.skippedByReason[name] = (counts.skippedByReason[name] ?? 0) + count;
  }
  return counts;
}

const zeroCounts = {
  total: 0,
  waiting: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
};
