import type { LogRow } from '../../api/log';

/** What the page holds of the log: what is shown, and what came since and waits. */
export type LogRows = {
  shown: readonly LogRow[];
  held: readonly LogRow[];
  /** Some were let go: the list must be read anew to show them all. */
  hasLost: boolean;
  /** Ids that came while the page looked, for their tint. */
  fresh: readonly string[];
};

export const noRows: LogRows = { shown: [], held: [], hasLost: false, fresh: [] };

const maxHeld = 500;
const maxShown = 2_000;

export type LogChange =
  | { kind: 'read'; rows: readonly LogRow[] }
  | { kind: 'older'; rows: readonly LogRow[] }
  /** Oldest first, as the server sends them. */
  | { kind: 'arrived'; rows: readonly LogRow[]; isHeld: boolean }
  /** Also what matches the filters only now; of a list that goes on, not what is older than its end. */
  | { kind: 'changed'; rows: readonly LogRow[]; isHeld: boolean; isWhole: boolean }
  | { kind: 'show' };

export function changeRows(state: LogRows, change: LogChange): LogRows {
  switch (change.kind) {
    case 'read':
      return { ...noRows, shown: change.rows };
    case 'older':
      return { ...state, shown: [...state.shown, ...unknownOf(state, change.rows)] };
    case 'changed':
      return arrive(
        { ...state, ...replaced(state, change.rows) },
        change.isWhole ? change.rows : newerThanEnd(state, change.rows),
        change.isHeld,
      );
    case 'arrived':
      return arrive(state, change.rows, change.isHeld);
    case 'show':
      return {
        shown: newestFirst(state.held, state.shown).slice(0, maxShown),
        held: [],
        hasLost: false,
        fresh: state.held.map(({ requestId }) => requestId),
      };
  }
}

/** A row may come twice, as the list is read and as the server tells of it. */
function arrive(state: LogRows, rows: readonly LogRow[], isHeld: boolean): LogRows {
  const newest = unknownOf(state, rows).reverse();
  if (newest.length === 0) return state;
  if (!isHeld) {
    const fresh = newest.map(({ requestId }) => requestId);
    return { ...state, shown: newestFirst(newest, state.shown).slice(0, maxShown), fresh };
  }
  const held = newestFirst(newest, state.held);
  return {
    ...state,
    held: held.slice(0, maxHeld),
    hasLost: state.hasLost || held.length > maxHeld,
  };
}

/** Ids begin with the time. */
function newestFirst(some: readonly LogRow[], others: readonly LogRow[]): LogRow[] {
  return [...some, ...others].sort((a, b) => (a.requestId < b.requestId ? 1 : -1));
}

function newerThanEnd({ shown }: LogRows, rows: readonly LogRow[]): LogRow[] {
  const end = shown.at(-1)?.requestId ?? '';
  return rows.filter(({ requestId }) => requestId > end);
}

function unknownOf({ shown, held }: LogRows, rows: readonly LogRow[]): LogRow[] {
  const known = new Set([...shown, ...held].map(({ requestId }) => requestId));
  return rows.filter(({ requestId }) => !known.has(requestId));
}

function replaced({ shown, held }: LogRows, rows: readonly LogRow[]) {
  const next = new Map(rows.map((row) => [row.requestId, row]));
  const replace = (row: LogRow) => next.get(row.requestId) ?? row;
  return { shown: shown.map(replace), held: held.map(replace) };
}
