import type { BulkProgress } from '../../api/queues';
import { count } from '../format';
import { Link } from '../parts/controls';
import { Name } from '../parts/name';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './queues.module.css';

/** Bulk requests whose messages are still being planned. */
export function BulkTable({ bulks }: { bulks: BulkProgress[] }) {
  return (
    <section>
      <h2>
        Bulk <small>single sends have priority</small>
      </h2>
      <Table
        caption="Bulk requests"
        className={`wide-rows ${styles.stacked}`}
        columns={columns}
        rows={bulks}
        getKey={({ requestId }) => requestId}
        empty="No bulk requests are being planned."
      />
    </section>
  );
}

const columns: Column<BulkProgress>[] = [
  {
    header: 'Request',
    className: 'ev',
    cell: ({ appId, requestId, event }) => (
      <Link to={buildPath(appId, 'log', requestId)}>
        <Name text={event} />
      </Link>
    ),
  },
  {
    header: 'Planned',
    className: styles.planned,
    cell: ({ event, items, plannedItems }) => (
      <progress
        max={items}
        value={plannedItems}
        aria-label={`${event}: ${plannedItems} of ${items} planned`}
      />
    ),
  },
  {
    header: 'Items',
    className: 'num',
    cell: ({ items, plannedItems }) => `${count(plannedItems)} of ${count(items)}`,
  },
];
