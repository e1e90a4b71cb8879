import type { LogRow } from '../../api/log';

/** Log rows in the page: visible rows and newer pending rows. */
export type LogRows = {
  visible: readonly LogRow[];
  pending: readonly LogRow[];
  /** Pending rows were dropped; the list must be reloaded to show all of them. */
  hasDropped: boolean;
  /** Ids that arrived live; they are highlighted. */
  fresh: readonly string[];
};

export const noRows: LogRows = { visible: [], pending: [], hasDropped: false, fresh: [] };

const maxPending = 500;
const maxVisible = 10_000;

export type LogChange =
  | { kind: 'read'; rows: readonly LogRow[] }
  | { kind: 'older'; rows: readonly LogRow[] }
  /** Rows arrive oldest first. */
  | { kind: 'arrived'; rows: readonly LogRow[]; isPaused: boolean }
  /** Also adds rows that start to match the filters, unless they are older than the end of a partial list. */
  | { kind: 'changed'; rows: readonly LogRow[]; isPaused: boolean; isComplete: boolean }
  /** Removes rows of a part that was read again, if they are no longer in the answer. */
  | { kind: 'gone'; range: RereadRange; rows: readonly LogRow[] }
  /** More rows were missed than a page has. */
  | { kind: 'gap' }
  | { kind: 'show' };

/** A part of the list: requests older than `after`, down to `end`, and accepted before the time `settledMs`. */
export type RereadRange = { after: string | undefined; end: string; settledMs: number };

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
    case 'gone':
      return removeGone(state, change);
    case 'gap':
      return { ...state, hasDropped: true };
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

/** A row may arrive twice: from the list and from the stream. */
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

/** Ids start with the timestamp. */
function mergeNewestFirst(first: readonly LogRow[], second: readonly LogRow[]): LogRow[] {
  return [...first, ...second].sort((a, b) => (a.requestId < b.requestId ? 1 : -1));
}

function removeGone(
  state: LogRows,
  { range, rows }: { range: RereadRange; rows: readonly LogRow[] },
): LogRows {
  const ids = new Set(rows.map(({ requestId }) => requestId));
  const isKept = ({ requestId, acceptedAt }: LogRow) =>
    ids.has(requestId) ||
    (range.after !== undefined && requestId >= range.after) ||
    requestId < range.end ||
    acceptedAt >= range.settledMs;
  return {
    ...state,
    visible: state.visible.filter(isKept),
    pending: state.pending.filter(isKept),
  };
}

/** Without rows that were accepted before `from`. */
export function dropBefore(state: LogRows, from: number): LogRows {
  const isIn = ({ acceptedAt }: LogRow) => acceptedAt >= from;
  return { ...state, visible: state.visible.filter(isIn), pending: state.pending.filter(isIn) };
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
