import {
  type Dispatch,
  type RefObject,
  type SetStateAction,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import type { LogAnswer, LogFilters, LogRow } from '../../api/log';
import type { PageProblem, Result } from '../api';
import { useServices } from '../context';
import { type PageFilters, toPeriodStart, toQuery, writeFilters } from './filters';
import {
  changeRows,
  dropBefore,
  type LogChange,
  type LogRows,
  noRows,
  type RereadRange,
} from './log-rows';
import { type LiveState, useLiveLog } from './use-live-log';

export type LogList = {
  /** The element that scrolls the rows. */
  pane: RefObject<HTMLElement | null>;
  rows: LogRows;
  isRead: boolean;
  hasOlder: boolean;
  /** Set if the last search stopped at its limit: the reader decides whether to search further back. */
  searchedFrom: number | null;
  /** See LogAnswer. */
  skipsSearchedFrom: number | null;
  lagSeconds: number;
  live: LiveState;
  value: undefined;
  readAt: number | undefined;
  problem: PageProblem | undefined;
  reload: () => Promise<void>;
  readOlder: () => Promise<void>;
  showPending: () => void;
};

type Meta = {
  next: string | null;
  searchedFrom: number | null;
  skipsSearchedFrom: number | null;
  lagSeconds: number;
  readAt: number | undefined;
  problem: PageProblem | undefined;
};

const initialMeta: Meta = {
  next: null,
  searchedFrom: null,
  skipsSearchedFrom: null,
  lagSeconds: 0,
  readAt: undefined,
  problem: undefined,
};
const retryAfterMs = 5_000;
/** The stream does not follow every row for ever: late receipts, the end of a pause, rows that no longer match. */
const rereadEveryMs = 15_000;
/** A request that was accepted later may be missing from an answer that was read meanwhile. */
const settledAfterMs = 10_000;
const minuteMs = 60_000;

type LogListInput = { appId: string; filters: PageFilters; isPaused: boolean };

/** `isPaused` keeps new rows pending, so that the list does not move. */
export function useLogList({ appId, filters, isPaused }: LogListInput): LogList {
  const [rows, change] = useReducer(changeRows, noRows);
  const [meta, setMeta] = useState(initialMeta);
  const { next, ...status } = meta;
  const pane = useRef<HTMLElement>(null);
  const filterText = writeFilters(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `filterText` is `filters` as text.
  const query = useMemo(() => toQuery(filters, Date.now()), [filterText]);
  const periodStart = usePeriodStart(filters.last);
  const inPeriod = useMemo(
    () => (periodStart === undefined ? rows : dropBefore(rows, periodStart)),
    [rows, periodStart],
  );
  useReset(`${appId} ${filterText}`, () => {
    change({ kind: 'read', rows: [] });
    setMeta(initialMeta);
  });
  const list = useListQuery(appId, query);
  const showPage = useCallback(({ rows: newest, ...page }: LogAnswer) => {
    change({ kind: 'read', rows: newest });
    setMeta({ ...page, readAt: Date.now(), problem: undefined });
  }, []);
  const read = useCallback(async () => {
    const answer = await list();
    if (!answer) return;
    if ('problem' in answer) return setMeta((before) => ({ ...before, problem: answer.problem }));
    showPage(answer.value);
  }, [list, showPage]);
  useReads(read, meta.problem);
  const readOlder = useReadOlder({ list, next, change, setMeta });
  const live = useTail({
    appId,
    query,
    list,
    rows,
    pane,
    showPage,
    // New rows stay pending while the list is scrolled down.
    isPaused: () => isPaused || (pane.current?.scrollTop ?? 0) > 0,
    isOn: meta.readAt !== undefined && !filters.to,
    isComplete: next === null,
    change,
    onLag: (lagSeconds) => setMeta((before) => ({ ...before, lagSeconds })),
  });
  return {
    pane,
    rows: inPeriod,
    ...status,
    isRead: meta.readAt !== undefined,
    hasOlder: next !== null && inPeriod.visible.length === rows.visible.length,
    live: meta.readAt === undefined ? 'connecting' : live,
    value: undefined,
    reload: read,
    readOlder,
    showPending: () => (rows.hasDropped ? void read() : change({ kind: 'show' })),
  };
}

type OlderInput = {
  list: ListQuery;
  next: string | null;
  change: (change: LogChange) => void;
  setMeta: Dispatch<SetStateAction<Meta>>;
};

/** Reads the next page, one at a time. */
function useReadOlder({ list, next, change, setMeta }: OlderInput): () => Promise<void> {
  const isReading = useRef(false);
  return async function readOlder() {
    if (next === null || isReading.current) return;
    isReading.current = true;
    const answer = await list(next);
    isReading.current = false;
    if (!answer) return;
    if ('problem' in answer) return setMeta((before) => ({ ...before, problem: answer.problem }));
    const { rows: older, ...page } = answer.value;
    change({ kind: 'older', rows: older });
    setMeta((before) => ({
      ...before,
      ...page,
      skipsSearchedFrom: before.skipsSearchedFrom ?? page.skipsSearchedFrom,
      problem: undefined,
    }));
  };
}

function useReads(read: () => Promise<void>, problem: PageProblem | undefined) {
  useEffect(() => void read(), [read]);
  useEffect(() => {
    if (!problem) return;
    const timer = setInterval(() => void read(), retryAfterMs);
    return () => clearInterval(timer);
  }, [read, problem]);
}

type ListQuery = (cursor?: string) => Promise<Result<LogAnswer> | undefined>;

/** Returns nothing if the filters have changed meanwhile: a late answer would replace the rows of the new filters. */
function useListQuery(appId: string, query: LogFilters): ListQuery {
  const { api } = useServices();
  const currentQuery = useRef(query);
  useEffect(() => {
    currentQuery.current = query;
  }, [query]);
  return useCallback(
    async (cursor) => {
      const page = cursor === undefined ? query : { ...query, cursor };
      const answer = await api.call('GET /api/apps/:appId/log', { appId, query: page });
      return currentQuery.current === query ? answer : undefined;
    },
    [api, appId, query],
  );
}

type Tail = {
  appId: string;
  query: LogFilters;
  list: ListQuery;
  rows: LogRows;
  pane: RefObject<HTMLElement | null>;
  showPage: (page: LogAnswer) => void;
  isPaused: () => boolean;
  isOn: boolean;
  isComplete: boolean;
  change: (change: LogChange) => void;
  onLag: (lagSeconds: number) => void;
};

/** Follows the list by the stream, and reads its shown part again at times. */
function useTail({ list, rows, pane, showPage, isPaused, isComplete, change, ...tail }: Tail) {
  const { appId, query, isOn, onLag } = tail;
  function onChanged(changed: LogRow[]) {
    change({ kind: 'changed', rows: changed, isPaused: isPaused(), isComplete });
  }
  function removeGone(page: LogAnswer, part: Omit<RereadRange, 'end'>) {
    const end = page.next === null ? '' : page.rows.at(-1)?.requestId;
    if (end !== undefined) change({ kind: 'gone', range: { ...part, end }, rows: page.rows });
  }
  async function reread(after?: string) {
    const settledMs = Date.now() - settledAfterMs;
    const answer = await list(after);
    if (answer && 'value' in answer) applyReread(answer.value, { after, settledMs });
  }
  function applyReread(page: LogAnswer, part: Omit<RereadRange, 'end'>) {
    const isGap = part.after === undefined && page.next !== null && !hasAny(rows, page.rows);
    if (isGap && !isPaused()) return showPage(page);
    // A paused list does not move.
    if (!isPaused()) removeGone(page, part);
    onChanged(page.rows.toReversed());
    if (isGap) change({ kind: 'gap' });
  }
  const live = useLiveLog({
    appId,
    query,
    isOn,
    onRows: (arrived) => change({ kind: 'arrived', rows: arrived, isPaused: isPaused() }),
    onChanged,
    onLag,
    // A new stream starts with the last seconds only, so read what was missed.
    onReconnect: () => void reread(),
  });
  useRereads(live === 'live', () => reread(findRowAbove(pane.current)));
  return live;
}

function useRereads(isOn: boolean, reread: () => Promise<void>): void {
  const rereadShown = useEffectEvent(() => {
    if (!document.hidden) void reread();
  });
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => rereadShown(), rereadEveryMs);
    document.addEventListener('visibilitychange', rereadShown);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', rereadShown);
    };
  }, [isOn]);
}

function hasAny({ visible, pending }: LogRows, page: readonly LogRow[]): boolean {
  const ids = new Set(page.map(({ requestId }) => requestId));
  return page.length === 0 || [...visible, ...pending].some(({ requestId }) => ids.has(requestId));
}

/** The last request above the shown part of the list; undefined at its top. */
function findRowAbove(pane: HTMLElement | null): string | undefined {
  const top = pane?.getBoundingClientRect().top ?? 0;
  const rows = [...(pane?.querySelectorAll<HTMLElement>('tr[data-row]') ?? [])];
  return rows.findLast((row) => row.getBoundingClientRect().bottom < top)?.dataset['row'];
}

/** Calls `reset` before the page is drawn with another key: rows of other filters must not be shown under the new ones. */
function useReset(key: string, reset: () => void): void {
  const [shownKey, setShownKey] = useState(key);
  if (shownKey === key) return;
  setShownKey(key);
  reset();
}

/** Start of a period that ends now; it moves each minute. */
function usePeriodStart(last: string | undefined): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (last === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), minuteMs);
    return () => clearInterval(timer);
  }, [last]);
  return toPeriodStart(last, now);
}
