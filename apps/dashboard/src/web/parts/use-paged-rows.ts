import { useState } from 'react';

export type RowPage<Row> = { rows: readonly Row[]; next: string | null };

/** The pages that were read, as one list. `first` is the last first page. */
type PagedRows<Row> = RowPage<Row> & {
  key: string;
  first: RowPage<Row>;
  hasOlder: boolean;
};

type WithId = { id: string };

/**
 * Rows of which the first page is read again and again, newest first; IDs grow with time. New rows push others off the first
 * page; these stay. Another `key` starts another list. While the list is held, new rows are pending. `first` must stay the
 * same object until it is read again.
 */
export function usePagedRows<Row extends WithId>(
  key: string,
  first: RowPage<Row> | undefined,
  isHeld = false,
) {
  const [state, setState] = useState<PagedRows<Row>>();
  const before = state?.key === key ? state : undefined;
  const heldRows = isHeld ? dropMissing(before?.rows, first) : [];
  const isPending = heldRows.length > 0;
  const paged = first && !isPending ? withFirstPage(before, { key, first }) : before;
  if (paged && paged !== state) setState(paged);
  return {
    ...(paged ?? noPage),
    ...(isPending && { rows: heldRows }),
    pending: countNewer(first?.rows, heldRows),
    showPending: () => first && setState(withFirstPage(before, { key, first })),
    addOlder: (page: RowPage<Row>) =>
      setState((latest) => (latest?.key === key ? withOlderPage(latest, page) : latest)),
    forgetOlder: () => setState(undefined),
  };
}

const noPage = { rows: [], next: null };

function countNewer(rows: readonly WithId[] = [], [newest]: readonly WithId[]): number {
  return rows.filter(({ id }) => newest !== undefined && id > newest.id).length;
}

/** Without rows that the first page would have if they still existed. */
function dropMissing<Row extends WithId>(
  rows: readonly Row[] = [],
  first: RowPage<Row> | undefined,
): readonly Row[] {
  if (!first) return rows;
  const end = first.next === null ? '' : (first.rows.at(-1)?.id ?? '');
  const ids = new Set(first.rows.map(({ id }) => id));
  return rows.filter(({ id }) => id < end || ids.has(id));
}

/** Without the older pages if the first one does not reach them: the list would have a gap. */
function withFirstPage<Row extends WithId>(
  before: PagedRows<Row> | undefined,
  { key, first }: { key: string; first: RowPage<Row> },
): PagedRows<Row> {
  if (before?.first === first) return before;
  const end = first.rows.at(-1)?.id ?? '';
  const isReached = before?.rows.some(({ id }) => id >= end) ?? false;
  if (!before?.hasOlder || first.next === null || !isReached) {
    return { key, first, ...first, hasOlder: false };
  }
  const older = before.rows.filter(({ id }) => id < end);
  return { ...before, first, rows: [...first.rows, ...older] };
}

/** A page may be read twice, by two clicks. */
function withOlderPage<Row extends WithId>(
  before: PagedRows<Row>,
  page: RowPage<Row>,
): PagedRows<Row> {
  const ids = new Set(before.rows.map(({ id }) => id));
  const older = page.rows.filter(({ id }) => !ids.has(id));
  return { ...before, rows: [...before.rows, ...older], next: page.next, hasOlder: true };
}
