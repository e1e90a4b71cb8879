import type { LogRow } from '../../api/log';

/** What the page holds of the log: what is shown, and what came since and waits. */
export type LogRows = {
  visible: readonly LogRow[];
  pending: readonly LogRow[];
  /** Some were let go: the list must be read anew to show them all. */
  hasDropped: boolean;
  /** Ids that came while the page looked, for their tint. */
  fresh: readonly string[];
};

export const noRows: LogRows = { visible: [], pending: [], hasDropped: false, fresh: [] };

const maxPending = 500;
const maxVisible = 2_000;

export type LogChange =
  | { kind: 'read'; rows: readonly LogRow[] }
  | { kind: 'older'; rows: readonly LogRow[] }
  /** Oldest first, as the server sends them. */
  | { kind: 'arrived'; rows: readonly LogRow[]; isPaused: boolean }
  /** Also what matches the filters only now; of a list that goes on, not what is older than its end. */
  | { kind: 'changed'; rows: readonly LogRow[]; isPaused: boolean; isComplete: boolean }
  | { kind: 'show' };

export function changeRows(state: LogRows, change: LogChange): LogRows {
  switch (change.kind) {
    case 'read':
      return { ...noRows, visible: change.rows };
    case 'older':
      return { ...state, visible: [...state.visible, ...filterNewRows(state, change.rows)] };
    case 'changed':
      return addRows(
        { ...state, ...replaceRows(state, change.rows) },
        change.isComplete ? change.rows : filterNewerThanEnd(state, change.rows),
        change.isPaused,
      );
    case 'arrived':
      return addRows(state, change.rows, change.isPaused);
    case 'show':
      return {
        visible: mergeNewestFirst(state.pending, state.visible).slice(0, maxVisible),
        pending: [],
        hasDropped: false,
        fresh: state.pending.map(({ requestId }) => requestId),
      };
  }
}

/** A row may come twice, as the list is read and as the server tells of it. */
function addRows(state: LogRows, rows: readonly LogRow[], isPaused: boolean): LogRows {
  const newest = filterNewRows(state, rows).reverse();
  if (newest.length === 0) return state;
  if (!isPaused) {
    const fresh = newest.map(({ requestId }) => requestId);
    return {
      ...state,
      visible: mergeNewestFirst(newest, state.visible).slice(0, maxVisible),
      fresh,
    };
  }
  const pending = mergeNewestFirst(newest, state.pending);
  return {
    ...state,
    pending: pending.slice(0, maxPending),
    hasDropped: state.hasDropped || pending.length > maxPending,
  };
}

/** Ids begin with the time. */
function mergeNewestFirst(first: readonly LogRow[], second: readonly LogRow[]): LogRow[] {
  return [...first, ...second].sort((a, b) => (a.requestId < b.requestId ? 1 : -1));
}

function filterNewerThanEnd({ visible }: LogRows, rows: readonly LogRow[]): LogRow[] {
  const end = visible.at(-1)?.requestId ?? '';
  return rows.filter(({ requestId }) => requestId > end);
}

function filterNewRows({ visible, pending }: LogRows, rows: readonly LogRow[]): LogRow[] {
  const existingIds = new Set([...visible, ...pending].map(({ requestId }) => requestId));
  return rows.filter(({ requestId }) => !existingIds.has(requestId));
}

function replaceRows({ visible, pending }: LogRows, rows: readonly LogRow[]) {
  const next = new Map(rows.map((row) => [row.requestId, row]));
  const replace = (row: LogRow) => next.get(row.requestId) ?? row;
  return { visible: visible.map(replace), pending: pending.map(replace) };
}
