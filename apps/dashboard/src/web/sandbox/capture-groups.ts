import type { CaptureSummary } from '../../api/captures';

/** Captures of one request item: a heading and a row per channel. */
export type CaptureGroup = {
  key: string;
  event: string;
  capturedAt: number;
  rows: CaptureSummary[];
};

/** Groups sorted by their newest capture; within a group by channel, then newest attempt first. */
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
      const event = row.event ?? 'request deleted';
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
