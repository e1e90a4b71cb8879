import { useEffect, useState } from 'react';
import type { CaptureFilters, CaptureSummary } from '../../api/captures';
import { useAnswer } from '../answers';
import { useApp, useServices } from '../context';
import { writeCaptureFilters } from './capture-filters';
import { hideNewCaptures } from './capture-groups';

const readEveryMs = 2_000;

export type Captures = ReturnType<typeof useCaptures>;

/** Polls the newest captures while the page is live; loads older ones on request. */
export function useCaptures(filters: CaptureFilters, isPaused: boolean) {
  const app = useApp();
  const { api } = useServices();
  const first = useAnswer(
    'GET /api/apps/:appId/captures',
    { appId: app.id, query: filters },
    { everyMs: readEveryMs },
  );
  const older = useOlder(`${app.id} ${writeCaptureFilters(filters)}`);
  const newest = first.value?.captures;
  const [visibleIds, setVisibleIds] = useState<ReadonlySet<string>>();
  // Keeps the list of the moment when the operator starts to read.
  useEffect(() => {
    if (!isPaused || !newest) setVisibleIds(undefined);
    else setVisibleIds((before) => before ?? new Set(newest.map(({ id }) => id)));
  }, [isPaused, newest]);
  const { visible, pending } = hideNewCaptures(newest ?? [], visibleIds);
  const shownIds = new Set(visible.map(({ id }) => id));
  const all = [...visible, ...older.rows.filter(({ id }) => !shownIds.has(id))];
  const next = older.next === undefined ? (first.value?.next ?? null) : older.next;

  async function readOlder() {
    if (next === null) return;
    const query = { ...filters, before: next };
    const answer = await api.call('GET /api/apps/:appId/captures', { appId: app.id, query });
    if ('value' in answer) older.add(answer.value.captures, answer.value.next);
  }
  return {
    first,
    visible: all,
    pending,
    next,
    readOlder,
    showPending: () => setVisibleIds(newest && new Set(newest.map(({ id }) => id))),
  };
}

type Older = { key: string; rows: CaptureSummary[]; next: string | null | undefined };

/** Pages after the first; reset by a new query. */
function useOlder(key: string) {
  const empty: Older = { key, rows: [], next: undefined };
  const [state, setState] = useState(empty);
  const older = state.key === key ? state : empty;
  return {
    ...older,
    add: (rows: CaptureSummary[], next: string | null) =>
      setState({ key, rows: [...older.rows, ...rows], next }),
  };
}
