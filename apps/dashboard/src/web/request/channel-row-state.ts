import type { ChannelRow, Explanation } from '../../api/requests';
import { formatWait, waitLabels } from '../log/waits';

export function getMark(row: ChannelRow): string {
  if (row.kind === 'skipped') return 'skipped';
  return row.waits?.reason === 'retry' ? 'retry' : row.state;
}

export function describeState(row: ChannelRow): string {
  if (row.kind === 'skipped') return 'skipped';
  return row.waits?.reason === 'retry' ? waitLabels.retry : row.state;
}

/** `queued`, `queued, rate limited` or, as in the log, `retrying (3 of 8), next at 22:45:51`. */
export function describeProgress(row: ChannelRow, now: number): string {
  const waits = row.kind === 'message' ? row.waits : null;
  if (!waits || waits.reason === 'due') return describeState(row);
  const text = formatWait(waits, now);
  return waits.reason === 'retry' ? text : `${describeState(row)}, ${text}`;
}

/** Why the message waits, and the explanation of its last attempt or end. */
export function explainProgress(row: ChannelRow): Explanation | null {
  const sentence = row.kind === 'message' && row.waits?.sentence;
  if (!sentence) return row.explanation;
  const { what, remedy } = row.explanation ?? { what: '', remedy: null };
  return { what: `${sentence} ${what}`.trim(), remedy };
}

/** A receipt or a retry can still change the message. */
export function isOpen(row: ChannelRow): boolean {
  return row.kind === 'message' && ['queued', 'sending', 'sent', 'unknown'].includes(row.state);
}
