import type { StateCounts } from '@belfry/shared';
import type { ChannelSummary } from '../../api/log';
import { formatWait } from './waits';

type FillState = 'delivered' | 'sent' | 'unknown' | 'skipped' | 'failed' | 'waiting';
type Fill = { state: FillState; share: number }[];

/** One failure of thousands must be visible: 2 of the 13 pixels. */
const minShare = 0.15;

/** The states of a bulk column from the bottom up, with shares of 1. A state that occurs has at least `minShare`. */
export function computeFill({ total, sent, delivered, read, ...counts }: StateCounts): Fill {
  const messages: [FillState, number][] = [
    ['delivered', delivered + read],
    ['sent', sent],
    ['unknown', counts.unknown],
    ['skipped', counts.skipped],
    ['failed', counts.failed],
    ['waiting', counts.waiting],
  ];
  const occurring = messages.filter(([, size]) => size > 0);
  const shared = 1 - occurring.length * minShare;
  return occurring.map(([state, size]) => ({
    state,
    share: minShare + (shared * size) / total,
  }));
}

export function formatSummary(
  channel: string,
  { state, reason, wait, counts }: ChannelSummary,
  isBulk: boolean,
): string {
  if (wait) return `${channel} ${formatWait(wait, Date.now())}`;
  if (!isBulk) return reason ? `${channel} ${state}, ${reason}` : `${channel} ${state}`;
  return `${channel}: ${listCounts(counts).map(formatCount).join(', ') || 'no messages yet'}`;
}

/** The counters of messages in the order of message states. */
export const countNames = [
  'waiting',
  'unknown',
  'sent',
  'delivered',
  'read',
  'skipped',
  'failed',
] as const;
export type CountName = (typeof countNames)[number];

export type Count = { name: string; count: number; reasons: string };

/** The counts above 0, in the order of message states. */
export function listCounts(counts: StateCounts): Count[] {
  const reasons = Object.entries(counts.skippedByReason).map(([name, count]) => `${count} ${name}`);
  return countNames
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

/** The accessible name of the channel columns. */
export function formatSummaries(
  channels: readonly string[],
  summaries: Record<string, ChannelSummary>,
  isBulk: boolean,
): string {
  const texts = channels.flatMap((channel) => {
    const summary = summaries[channel];
    return summary ? [formatSummary(channel, summary, isBulk)] : [];
  });
  return texts.join(', ') || 'no channels';
}
