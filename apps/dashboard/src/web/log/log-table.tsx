import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import type { LogRow } from '../../api/log';
import { useApp } from '../context';
import { formatFull, formatMillis, formatMoment, formatTime } from '../dates';
import { count, duration, plural } from '../format';
import { Button, Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { phone } from '../parts/phone';
import { buildPath } from '../route';
import { ChannelColumns, ChannelColumnsHead } from './channel-columns';
import { formatSummary } from './channel-summaries';
import styles from './log.module.css';
import type { LogList } from './use-log-list';

export function LogTable({
  list,
  openId,
  search,
  emptyText = 'No request matches these filters. Remove a filter to see more.',
}: {
  list: LogList;
  openId: string | undefined;
  search: string;
  emptyText?: string;
}) {
  const { pane } = list;
  const { visible, pending, hasDropped, fresh } = list.rows;
  const freshIds = new Set(fresh);
  const { measure, lastRendered, rendered, above, below } = useRenderedRows(pane, visible, openId);
  // Scrolling to the end reads on. Without a scroll bar, and while few rows match, the button does.
  useEffect(() => {
    const isNearEnd = lastRendered >= visible.length - overscanRows;
    const mayRead = list.hasOlder && list.searchedFrom === null && !list.problem;
    if (isNearEnd && mayRead && (pane.current?.scrollTop ?? 0) > 0) void list.readOlder();
  }, [lastRendered, visible.length, list, pane]);
  const total = visible.length + headRows + (pending.length > 0 ? 1 : 0);
  return (
    <section ref={pane} className={`pane linked ${styles.list}`} aria-label="Requests">
      {list.lagSeconds > 0 && <Lag seconds={list.lagSeconds} />}
      <table
        aria-rowcount={list.hasOlder ? -1 : total}
        style={{ marginTop: above, marginBottom: below }}
      >
        <thead>
          <tr>
            <th className={styles.time}>Accepted</th>
            <th className={styles.event}>Event</th>
            <th>Recipient</th>
            <th className={styles.channels}>
              <ChannelColumnsHead />
            </th>
          </tr>
        </thead>
        <tbody>
          {pending.length > 0 && (
            <PendingRow count={pending.length} hasDropped={hasDropped} onShow={list.showPending} />
          )}
          {rendered.map(({ row, index }) => (
            <Row
              key={row.requestId}
              measure={measure}
              row={row}
              listIndex={index}
              index={index + headRows + (pending.length > 0 ? 1 : 0)}
              isOpen={row.requestId === openId}
              isFresh={freshIds.has(row.requestId)}
              search={search}
            />
          ))}
        </tbody>
      </table>
      {list.isRead && (
        <SearchEnd
          list={list}
          emptyText={visible.length + pending.length === 0 ? emptyText : undefined}
        />
      )}
      {list.skipsSearchedFrom !== null && <SkipLimit from={list.skipsSearchedFrom} />}
      {list.hasOlder && (
        <div className="more">
          <Button look="small" onClick={() => void list.readOlder()}>
            {list.searchedFrom === null ? 'Show older requests' : 'Search older requests'}
          </Button>
        </div>
      )}
      <Announcement count={pending.length} />
    </section>
  );
}

/** How far the search went. `emptyText` is set if it found nothing. */
function SearchEnd({
  list: { searchedFrom },
  emptyText,
}: {
  list: LogList;
  emptyText: string | undefined;
}) {
  if (searchedFrom !== null) {
    const what = emptyText ? 'No request matches these filters since' : 'Searched back to';
    return (
      <p className="nothing">
        {what} {formatFull(searchedFrom)}. Older requests were not searched yet.
      </p>
    );
  }
  if (!emptyText) return null;
  return (
    <p className="nothing">
      <Name text={emptyText} />
    </p>
  );
}

function Lag({ seconds }: { seconds: number }) {
  const behind = seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
  return <p className="nothing">The log is read from a replica that is {behind} behind.</p>;
}

function SkipLimit({ from }: { from: number }) {
  return (
    <p className="nothing">
      Addresses of skipped messages were searched only back to {formatFull(from)}. Choose a time to
      search earlier.
    </p>
  );
}

const headRows = 1;
const rowPx = 30;
/** On a phone, a row has two lines. */
const tallRowPx = 48;
const overscanRows = 20;

function useRowPx(): number {
  const isPhone = useSyncExternalStore(onPhoneChange, () => matchMedia(phone).matches);
  return isPhone ? tallRowPx : rowPx;
}

function onPhoneChange(report: () => void) {
  const query = matchMedia(phone);
  query.addEventListener('change', report);
  return () => query.removeEventListener('change', report);
}

/** The rows near the visible part of the list, and the height of those that are left out above and below. */
function useRenderedRows(
  pane: RefObject<HTMLElement | null>,
  rows: readonly LogRow[],
  openId: string | undefined,
) {
  const sizePx = useRowPx();
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => pane.current,
    getItemKey: (index) => rows[index]?.requestId ?? index,
    estimateSize: () => sizePx,
    overscan: overscanRows,
  });
  // The browser keeps the rows in place when one of those above gets its height.
  list.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height needs new positions.
  useEffect(() => list.measure(), [list, sizePx]);
  const openIndex = rows.findIndex(({ requestId }) => requestId === openId);
  useEffect(() => {
    if (openIndex < 0) return;
    // The virtual list does not yet know that the pane of the request made the list lower.
    const row = pane.current?.querySelector('tr[aria-current="true"]');
    if (row) row.scrollIntoView({ block: 'nearest' });
    else list.scrollToIndex(openIndex, { align: 'auto' });
  }, [openIndex, list, pane]);
  const items = list.getVirtualItems();
  return {
    /** Long names and retries make a row taller. */
    measure: list.measureElement,
    lastRendered: items.at(-1)?.index ?? 0,
    rendered: items.flatMap(({ index }) => (rows[index] ? [{ row: rows[index], index }] : [])),
    above: items[0]?.start ?? 0,
    below: list.getTotalSize() - (items.at(-1)?.end ?? 0),
  };
}

function PendingRow({
  count: size,
  hasDropped,
  onShow,
}: {
  count: number;
  hasDropped: boolean;
  onShow: () => void;
}) {
  return (
    <tr className={styles.pending}>
      <td colSpan={4}>
        <button type="button" className="tail" onClick={onShow}>
          <Icon name="up" size={13} />
          {count(size)}
          {hasDropped ? '+' : ''} new request{size === 1 ? '' : 's'}
          <kbd data-keys="n" />
          <span>not shown yet</span>
        </button>
      </td>
    </tr>
  );
}

function Row({
  measure,
  row,
  listIndex,
  index,
  isOpen,
  isFresh,
  search,
}: {
  measure: (row: HTMLTableRowElement | null) => void;
  row: LogRow;
  /** Place in the list, without the rows above it. */
  listIndex: number;
  index: number;
  isOpen: boolean;
  isFresh: boolean;
  search: string;
}) {
  const app = useApp();
  const at = row.acceptedAt;
  const isToday = formatMoment(at) === formatTime(at);
  return (
    <tr
      ref={measure}
      data-index={listIndex}
      aria-rowindex={index + 1}
      aria-current={isOpen ? 'true' : undefined}
      data-row={row.requestId}
      className={isFresh ? styles.fresh : ''}
    >
      <td className={styles.time}>
        <Moment at={at} />
        {isToday && <small>{formatMillis(at)}</small>}
      </td>
      <td className="ev">
        <span className={styles.name}>
          <Link to={buildPath(app.id, 'log', row.requestId)} search={search}>
            <Name text={row.event} />
          </Link>
          {row.kind === 'test' && <span className="tag">test</span>}
        </span>
      </td>
      <td className={`dim ${styles.recipient}`}>
        <Name text={formatRecipient(row)} />
        {listRetries(row).map((text) => (
          <small key={text} className={styles.retry}>
            {text}
          </small>
        ))}
      </td>
      <td className={styles.channels}>
        <ChannelColumns summaries={row.channels} isBulk={row.items > 1} />
      </td>
    </tr>
  );
}

function formatRecipient({ kind, items, recipient }: LogRow): string {
  if (kind === 'bulk') return `bulk, ${plural(items, 'recipient')}`;
  return recipient ?? 'no recipient';
}

/** `sms retrying (3 of 8), next at 22:45:51`. */
function listRetries({ channels, items }: LogRow): string[] {
  return Object.entries(channels).flatMap(([channel, summary]) =>
    summary.wait?.reason === 'retry' ? [formatSummary(channel, summary, items > 1)] : [],
  );
}

const quietMs = 10_000;

/** Announces the number of new requests to screen readers, at most every 10 s. */
function Announcement({ count: size }: { count: number }) {
  const region = useRef<HTMLParagraphElement>(null);
  const announcedAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, announcedAt.current + quietMs - Date.now());
    const timer = setTimeout(() => {
      announcedAt.current = Date.now();
      if (region.current) region.current.textContent = size > 0 ? plural(size, 'new request') : '';
    }, wait);
    return () => clearTimeout(timer);
  }, [size]);
  return <p ref={region} className="vh" role="status" aria-live="polite" />;
}
