import { useEffect, useState } from 'react';
import type { CaptureFilters, CaptureLine } from '../../api/captures';
import { useAnswer, useApp, useTools } from '../context';
import { writeCaptureFilters } from './capture-filters';
import { holdBack } from './capture-groups';

const readEveryMs = 2_000;

export type Captures = ReturnType<typeof useCaptures>;

/** The newest captures, read again while the page is live, and older ones as they are asked for. */
export function useCaptures(filters: CaptureFilters, isHeld: boolean) {
  const app = useApp();
  const { api } = useTools();
  const query = writeCaptureFilters(filters);
  const first = useAnswer(
    `captures ${app.id} ${query}`,
    (ask) => ask.listCaptures(app.id, query),
    readEveryMs,
  );
  const older = useOlder(`${app.id} ${query}`);
  const newest = first.value?.captures;
  const [seen, setSeen] = useState<ReadonlySet<string>>();
  // What is shown when somebody begins to read is what stays.
  useEffect(() => {
    if (!isHeld || !newest) setSeen(undefined);
    else setSeen((before) => before ?? new Set(newest.map(({ id }) => id)));
  }, [isHeld, newest]);
  const { shown, held } = holdBack(newest ?? [], seen);
  const known = new Set(shown.map(({ id }) => id));
  const all = [...shown, ...older.lines.filter(({ id }) => !known.has(id))];
  const next = older.next === undefined ? (first.value?.next ?? null) : older.next;

  async function readOlder() {
    if (next === null) return;
    const at = `${query}${query ? '&' : ''}before=${encodeURIComponent(next)}`;
    const answer = await api.listCaptures(app.id, at);
    if ('value' in answer) older.add(answer.value.captures, answer.value.next);
  }
  return {
    first,
    shown: all,
    held,
    next,
    readOlder,
    showHeld: () => setSeen(newest && new Set(newest.map(({ id }) => id))),
  };
}

type Older = { of: string; lines: CaptureLine[]; next: string | null | undefined };

/** Pages beyond the first; of another question there are none yet. */
function useOlder(of: string) {
  const nothing: Older = { of, lines: [], next: undefined };
  const [kept, setKept] = useState(nothing);
  const older = kept.of === of ? kept : nothing;
  return {
    ...older,
    add: (lines: CaptureLine[], next: string | null) =>
      setKept({ of, lines: [...older.lines, ...lines], next }),
  };
}
