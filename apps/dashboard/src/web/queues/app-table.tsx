import type { AppQueue } from '../../api/queues';
import { Table } from '../parts/table';
import styles from './queues.module.css';
import { createWaitColumns } from './wait-columns';

/** A row for each app of the account. */
export function AppTable({ apps, readAt }: { apps: AppQueue[]; readAt: number }) {
  return (
    <Table<AppQueue>
      caption="Apps"
      className={`wide-rows ${styles.table} ${styles.stacked}`}
      columns={[
        {
          header: 'App',
          className: styles.channel,
          isRowHeader: true,
          sortBy: ({ name }) => name,
          cell: ({ name }) => name,
        },
        ...createWaitColumns<AppQueue>((app) => app, readAt),
      ]}
      rows={apps}
      getKey={({ appId }) => appId}
    />
  );
}
