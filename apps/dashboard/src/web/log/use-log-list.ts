import {
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import type { LogAnswer, LogFilters, LogRow } from '../../api/log';
import type { PageProblem, Result } from '../api';
import { useServices } from '../context';
import { type PageFilters, toQuery, writeFilters } from './filters';
import { changeRows, type LogChange, type LogRows, noRows } from './log-rows';
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
  const list = useListQuery(appId, query);
  const read = useCallback(async () => {
    const answer = await list();
    if (!answer) return;
    if ('problem' in answer) return setMeta((before) => ({ ...before, problem: answer.problem }));
    const { rows: newest, ...page } = answer.value;
    change({ kind: 'read', rows: newest });
    setMeta({ ...page, readAt: Date.now(), problem: undefined });
  }, [list]);
  useReads(read, meta.problem);
  const isReadingOlder = useRef(false);
  async function readOlder() {
    if (next === null || isReadingOlder.current) return;
    isReadingOlder.current = true;
    const answer = await list(next);
    isReadingOlder.current = false;
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
  }
  const live = useTail({
    appId,
    query,
    list,
    // New rows stay pending while the list is scrolled down.
    isPaused: () => isPaused || (pane.current?.scrollTop ?? 0) > 0,
    isOn: meta.readAt !== undefined && !filters.to,
    isComplete: next === null,
    change,
    onLag: (lagSeconds) => setMeta((before) => ({ ...before, lagSeconds })),
  });
  return {
    pane,
    rows,
    ...status,
    isRead: meta.readAt !== undefined,
    hasOlder: next !== null,
    live: meta.readAt === undefined ? 'connecting' : live,
    value: undefined,
    reload: read,
    readOlder,
    showPending: () => (rows.hasDropped ? void read() : change({ kind: 'show' })),
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
  isPaused: () => boolean;
  isOn: boolean;
  isComplete: boolean;
  change: (change: LogChange) => void;
  onLag: (lagSeconds: number) => void;
};

function useTail({ isPaused, isComplete, change, ...tail }: Tail): LiveState {
  const { appId, query, list, isOn, onLag } = tail;
  function onChanged(rows: LogRow[]) {
    change({ kind: 'changed', rows, isPaused: isPaused(), isComplete });
  }
  /** A new stream starts with the last seconds only, so read what was missed. */
  async function readMissed() {
    const answer = await list();
    if (answer && 'value' in answer) onChanged(answer.value.rows.toReversed());
  }
  return useLiveLog({
    appId,
    query,
    isOn,
    onRows: (rows) => change({ kind: 'arrived', rows, isPaused: isPaused() }),
    onChanged,
    onLag,
    onReconnect: () => void readMissed(),
  });
}
