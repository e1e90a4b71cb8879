import type { CaptureSummary } from '../../api/captures';

/** What was captured of one item of a request: one heading, and a line for each channel. */
export type CaptureGroup = {
  key: string;
  event: string;
  capturedAt: number;
  rows: CaptureSummary[];
};

/** Groups newest first, by their newest line; in a group the order of the peal, of one message the newest attempt first. */
export function groupCaptures(
  captures: readonly CaptureSummary[],
  channels: readonly string[],
): CaptureGroup[] {
  const groups = new Map<string, CaptureGroup>();
  for (const row of captures) {
    const key = row.requestId === null ? row.id : `${row.requestId} ${row.item ?? 0}`;
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else {
      const event = row.event ?? 'its request is gone';
      groups.set(key, { key, event, capturedAt: row.capturedAt, rows: [row] });
    }
  }
  const getChannelIndex = ({ channel }: CaptureSummary) => {
    const at = channels.indexOf(channel);
    return at === -1 ? channels.length : at;
  };
  for (const { rows } of groups.values())
    rows.sort((a, b) => getChannelIndex(a) - getChannelIndex(b));
  return [...groups.values()];
}

/** Those that are there, and those that came since and wait: nothing moves under the reader. */
export function hideNewCaptures(
  captures: readonly CaptureSummary[],
  visibleIds: ReadonlySet<string> | undefined,
): { visible: CaptureSummary[]; pending: number } {
  if (!visibleIds) return { visible: [...captures], pending: 0 };
  const visible = captures.filter(({ id }) => visibleIds.has(id));
  return { visible, pending: captures.length - visible.length };
}
