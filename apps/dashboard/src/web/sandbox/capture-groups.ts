import type { CaptureLine } from '../../api/captures';

/** What was captured of one item of a request: one heading, and a line for each channel. */
export type CaptureGroup = { key: string; event: string; capturedAt: number; lines: CaptureLine[] };

/** Groups newest first, by their newest line; in a group the order of the peal, of one message the newest attempt first. */
export function groupCaptures(
  captures: readonly CaptureLine[],
  channels: readonly string[],
): CaptureGroup[] {
  const groups = new Map<string, CaptureGroup>();
  for (const line of captures) {
    const key = line.requestId === null ? line.id : `${line.requestId} ${line.item ?? 0}`;
    const known = groups.get(key);
    if (known) known.lines.push(line);
    else {
      const event = line.event ?? 'its request is gone';
      groups.set(key, { key, event, capturedAt: line.capturedAt, lines: [line] });
    }
  }
  const placeOf = ({ channel }: CaptureLine) => {
    const at = channels.indexOf(channel);
    return at === -1 ? channels.length : at;
  };
  for (const { lines } of groups.values()) lines.sort((a, b) => placeOf(a) - placeOf(b));
  return [...groups.values()];
}

/** Those that are there, and those that came since and wait: nothing moves under the reader. */
export function holdBack(
  captures: readonly CaptureLine[],
  seen: ReadonlySet<string> | undefined,
): { shown: CaptureLine[]; held: number } {
  if (!seen) return { shown: [...captures], held: 0 };
  const shown = captures.filter(({ id }) => seen.has(id));
  return { shown, held: captures.length - shown.length };
}
