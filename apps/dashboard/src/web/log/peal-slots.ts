import type { StateCounts } from '@belfry/shared';
import type { PealSlot } from '../../api/log';

/** How a slot of a bulk is filled, from 0 to 1: done, failed, and the rest still to do. */
export function fillOf(counts: StateCounts): { done: number; failed: number } {
  const { total, sent, delivered, read, skipped, failed } = counts;
  if (total === 0) return { done: 0, failed: 0 };
  return { done: (sent + delivered + read + skipped) / total, failed: failed / total };
}

/** A queued message that was tried before waits to be sent again. */
export function markOf({ state, reason }: PealSlot): string {
  return state === 'queued' && reason === 'retry' ? 'retry' : state;
}

export function wordsOf(
  channel: string,
  { state, reason, counts }: PealSlot,
  isBulk: boolean,
): string {
  if (!isBulk) return reason ? `${channel} ${state}, ${reason}` : `${channel} ${state}`;
  return `${channel}: ${listCounts(counts).map(formatCount).join(', ') || 'nothing yet'}`;
}

export type Count = { name: string; count: number; reasons: string };

/** The counts that are not 0, in the order in which a message moves. */
export function listCounts(counts: StateCounts): Count[] {
  const names = ['waiting', 'unknown', 'sent', 'delivered', 'read', 'skipped', 'failed'] as const;
  const reasons = Object.entries(counts.skippedByReason).map(([name, count]) => `${count} ${name}`);
  return names
    .map((name) => ({
      name,
      count: counts[name],
      reasons: name === 'skipped' ? reasons.join(', ') : '',
    }))
    .filter(({ count }) => count > 0);
}

export function formatCount({ name, count, reasons }: Count): string {
  return reasons === '' ? `${count} ${name}` : `${count} ${name} (${reasons})`;
}

/** The accessible name of a peal: one cell that says all. */
export function nameOfPeal(
  channels: readonly string[],
  peal: Record<string, PealSlot>,
  isBulk: boolean,
): string {
  const said = channels.flatMap((channel) => {
    const slot = peal[channel];
    return slot ? [wordsOf(channel, slot, isBulk)] : [];
  });
  return said.join(', ') || 'no channel';
}
