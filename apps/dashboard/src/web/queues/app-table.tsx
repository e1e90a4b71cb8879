import type { AppQueue } from '../../api/queues';
import { Table } from '../parts/table';
import { createWaitColumns } from './wait-columns';

/** A row for each app of the account. */
export function AppTable({ apps, readAt }: { apps: AppQueue[]; readAt: number }) {
  return (
    <Table<AppQueue>
      caption="Apps"
      className="q-table"
      columns={[
        {
          header: 'App',
          className: 'q-channel cut',
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
