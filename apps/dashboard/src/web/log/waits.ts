import { getOwn, type QueueReason } from '@belfry/shared';
import type { Wait } from '../../api/log';
import { formatMoment } from '../dates';

/** Why a message waits, in the order of the page. */
export const waitLabels: Record<QueueReason, string> = {
  due: 'due',
  paused: 'paused',
  retry: 'retrying',
  needs_attention: 'needs attention',
  limit: 'rate limited',
  circuit: 'circuit open',
  connections: 'connection limit',
  schedule: 'scheduled',
};

// Safe cast: the labels have exactly these keys.
export const waitNames = Object.keys(waitLabels) as QueueReason[];

/** The labels as headings. */
export const waitTitles = Object.fromEntries(
  waitNames.map((name) => [
    name,
    waitLabels[name].charAt(0).toUpperCase() + waitLabels[name].slice(1),
  ]),
  // Safe cast: the same keys.
) as Record<QueueReason, string>;

/** The label of a reason in the URL, which may be any text. */
export function getWaitLabel(reason: string): string {
  return getOwn<string>(waitLabels, reason) ?? reason;
}

/** `retrying (3 of 8), next at 22:45:51`. */
export function formatWait({ reason, attempts, maxAttempts, dueAt }: Wait, now: number): string {
  const label = waitLabels[reason];
  if (dueAt === null) return label;
  if (reason === 'schedule') return `${label} for ${formatMoment(dueAt, now)}`;
  if (reason !== 'retry') return label;
  return `${label} (${attempts} of ${maxAttempts}), next at ${formatMoment(dueAt, now)}`;
}
