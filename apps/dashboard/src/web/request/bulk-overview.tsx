import type { ItemFilters } from '../../api/request-items';
import type { RequestAnswer } from '../../api/requests';
import { CountTable } from './count-table';
import { ItemList } from './item-list';
import { ReasonList } from './reason-list';

/** A bulk request: its totals, why messages failed or were skipped, and its items. */
export function BulkOverview({
  request,
  filters,
  onFilter,
  onOpen,
  ...pace
}: {
  request: RequestAnswer;
  filters: ItemFilters;
  everyMs: number;
  isSettled: boolean;
  onFilter: (filters: ItemFilters) => void;
  onOpen: (item: number) => void;
}) {
  /** A number filters by channel, state and reason; the search stays. */
  function filterMessages(next: ItemFilters) {
    const { recipient } = filters;
    onFilter(recipient === undefined ? next : { ...next, recipient });
  }
  return (
    <>
      <CountTable request={request} filters={filters} onFilter={filterMessages} />
      <ReasonList request={request} onFilter={filterMessages} />
      <ItemList request={request} filters={filters} {...pace} onFilter={onFilter} onOpen={onOpen} />
    </>
  );
}
