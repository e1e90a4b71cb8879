import type { PealSlot } from '../../api/log';

const done = ['sent', 'delivered', 'read'];

/** How a slot of a bulk is filled, from 0 to 1: done, failed, and the rest still to do. */
export function fillOf(counts: Record<string, number>): { done: number; failed: number } {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (all === 0) return { done: 0, failed: 0 };
  const skipped = counts['skipped'] ?? 0;
  const ok = done.reduce((sum, state) => sum + (counts[state] ?? 0), 0) + skipped;
  return { done: ok / all, failed: (counts['failed'] ?? 0) / all };
}

/** A queued message that was tried before waits to be sent again. */
export function markOf({ state, reason }: PealSlot): string {
  return state === 'queued' && reason === 'retry' ? 'retry' : state;
}

export function wordsOf(channel: string, { state, reason, counts }: PealSlot): string {
  if (!counts) return reason ? `${channel} ${state}, ${reason}` : `${channel} ${state}`;
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return `${channel}: ${parts.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing yet'}`;
}

/** The accessible name of a peal: one cell that says all. */
export function nameOfPeal(channels: readonly string[], peal: Record<string, PealSlot>): string {
  const said = channels.flatMap((channel) => {
    const slot = peal[channel];
    return slot ? [wordsOf(channel, slot)] : [];
  });
  return said.join(', ') || 'no channel';
}
