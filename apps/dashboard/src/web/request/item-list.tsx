import { toItemNumber } from '@belfry/shared';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ItemFilters, ItemRow } from '../../api/request-items';
import type { RequestAnswer } from '../../api/requests';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { count } from '../format';
import { Button } from '../parts/controls';
import { ExportButton } from '../parts/export-button';
import { channelIcon, Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { AwayBar, ProblemNote, Waiting } from '../parts/notes';
import { State } from '../parts/state-mark';
import styles from './bulk.module.css';
import { type ItemList as Items, useItems } from './use-items';

type Props = {
  request: RequestAnswer;
  filters: ItemFilters;
  everyMs: number;
  isSettled: boolean;
  onFilter: (filters: ItemFilters) => void;
  onOpen: (item: number) => void;
};

/** The items of a bulk request, with filters, a search and a CSV file of what they show. */
export function ItemList({ request, filters, onFilter, onOpen, ...pace }: Props) {
  const items = useItems(request.requestId, filters, pace);
  const [problem, setProblem] = useState<PageProblem>();
  return (
    <section aria-label="Items">
      <ItemBar request={request} filters={filters} onFilter={onFilter} onProblem={setProblem} />
      <ProblemNote problem={problem} />
      <AwayBar loaded={items} reload={items.reload} />
      {!items.value && <Waiting loaded={items} reload={items.reload} what="items" />}
      {items.value && <Rows items={items} rows={items.value} onOpen={onOpen} />}
      {items.value?.length === 0 && !items.hasMore && (
        <p className="nothing">No item matches. Remove a filter to see more.</p>
      )}
      {items.hasMore && (
        <div className="more">
          {items.isPartial && <p className="faint">2,000 items searched; there are more.</p>}
          <Button look="small" disabled={items.isReading} onClick={items.readMore}>
            {items.isPartial ? 'Search more items' : 'Show more items'}
          </Button>
        </div>
      )}
    </section>
  );
}

type BarProps = Pick<Props, 'request' | 'filters' | 'onFilter'> & {
  onProblem: (problem: PageProblem | undefined) => void;
};

function ItemBar({ request, filters, onFilter, onProblem }: BarProps) {
  const { requestId, items, plannedItems } = request;
  const app = useApp();
  const { api } = useServices();
  function search(form: FormEvent<HTMLFormElement>) {
    form.preventDefault();
    const recipient = String(new FormData(form.currentTarget).get('recipient')).trim();
    const { recipient: _, ...others } = filters;
    onFilter(recipient === '' ? others : { ...others, recipient });
  }
  return (
    <search className={`bar ${styles.bar}`} aria-label="Filter the items">
      <h3 className="sect">{count(items)} items</h3>
      {plannedItems < items && <span className="faint">{count(plannedItems)} planned so far</span>}
      <form onSubmit={search} className="grow">
        <input
          key={filters.recipient}
          className={`input ${styles.search}`}
          name="recipient"
          type="search"
          aria-label="Find items by address or user ID"
          placeholder="Start of an address or user ID"
          defaultValue={filters.recipient}
        />
      </form>
      {Object.entries(filters).map(([name, value]) => (
        <span key={name} className="chip set">
          {name} <b className="cut">{value}</b>
          <button
            type="button"
            aria-label={`Remove the filter ${name}`}
            onClick={() => onFilter(withoutFilter(filters, name))}
          >
            <Icon name="x" size={12} />
          </button>
        </span>
      ))}
      <ExportButton
        name={`belfry-${requestId}.csv`}
        read={() =>
          api.download('GET /api/apps/:appId/requests/:requestId/items.csv', {
            appId: app.id,
            requestId,
            query: filters,
          })
        }
        onProblem={onProblem}
      />
    </search>
  );
}

function withoutFilter(filters: ItemFilters, removed: string): ItemFilters {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => name !== removed));
}

const rowPx = 30;

/** Only the rows in sight are in the page. They scroll with the pane. */
function Rows({
  items,
  rows,
  onOpen,
}: {
  items: Items;
  rows: ItemRow[];
  onOpen: (item: number) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current?.closest('[data-scrolls]') ?? null,
    estimateSize: () => rowPx,
    overscan: 10,
    scrollMargin,
    getItemKey: (index) => rows[index]?.item ?? index,
  });
  // The overview above changes its height with every count.
  useLayoutEffect(() => {
    const pane = list.current?.closest('[data-scrolls]');
    if (!list.current || !pane) return;
    const { top } = list.current.getBoundingClientRect();
    setScrollMargin(Math.round(top - pane.getBoundingClientRect().top + pane.scrollTop));
  });
  const shown = virtual.getVirtualItems();
  const isEnd = (shown.at(-1)?.index ?? -1) >= rows.length - 1;
  const { hasMore, isPartial, isReading, problem, readMore } = items;
  const mustReadMore = rows.length > 0 && isEnd && hasMore && !isPartial && !isReading && !problem;
  useEffect(() => {
    if (mustReadMore) readMore();
  }, [mustReadMore, readMore]);
  return (
    <ul ref={list} className={styles.items} style={{ height: virtual.getTotalSize() }}>
      {shown.map(({ key, index, start }) => {
        const row = rows[index];
        return (
          row && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - scrollMargin}px)` }}
            >
              <Row row={row} onOpen={onOpen} />
            </li>
          )
        );
      })}
    </ul>
  );
}

function Row({ row, onOpen }: { row: ItemRow; onOpen: (item: number) => void }) {
  const { item, recipient, messages } = row;
  return (
    <button type="button" onClick={() => onOpen(item)}>
      <span className="num faint">
        <span className="vh">Item </span>
        {count(toItemNumber(item))}
      </span>
      <span>
        <Name text={recipient ?? 'no recipient'} />
      </span>
      <span className={styles.messages}>
        {messages.map(({ messageId, channel, target, state, reason, isMatch }) => (
          <span
            key={messageId ?? channel}
            className={isMatch ? 'state' : `state ${styles.other}`}
            title={target ?? undefined}
          >
            <Icon name={channelIcon(channel)} size={13} />
            <span className="vh">{channel}</span>
            <State name={state}>{reason ? `${state}, ${reason}` : state}</State>
          </span>
        ))}
      </span>
    </button>
  );
}
