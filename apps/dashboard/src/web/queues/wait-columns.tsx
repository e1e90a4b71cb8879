import type { ReactNode } from 'react';
import type { WaitCount, WaitCounts } from '../../api/queues';
import { type PageFilters, writeFilters } from '../log/filters';
import { waitLabels, waitNames } from '../log/waits';
import type { Column } from '../parts/table';
import styles from './queues.module.css';
import { WaitFigure } from './wait-figure';

/** A channel or an app. */
type Waiting = WaitCounts & { name: string; channel?: string; appId: string | undefined };

/** The waiting messages of a row by why they wait, and the messages that are being sent. */
export function createWaitColumns<Row>(
  getWaiting: (row: Row) => Waiting,
  readAt: number,
): Column<Row>[] {
  const figure = (row: Row, value: WaitCount, label: ReactNode, filters: PageFilters) => {
    const { name, channel, appId } = getWaiting(row);
    return (
      <WaitFigure
        value={value}
        label={
          <>
            {label}
            <span className="vh"> {name}</span>
          </>
        }
        readAt={readAt}
        appId={appId}
        search={writeFilters({ ...filters, ...(channel && { channel }) })}
      />
    );
  };
  const createCount = (header: string, state: 'queued' | 'sending'): Column<Row> => ({
    header,
    className: `num ${styles.count} ${styles[state]}`,
    sortBy: (row) => getWaiting(row)[state].messages,
    cell: (row) =>
      figure(row, getWaiting(row)[state], <span className="vh"> {state}</span>, { state }),
  });
  return [
    createCount('Queued', 'queued'),
    {
      header: 'Why they wait',
      className: styles.waits,
      cell: (row) =>
        waitNames
          .filter((waits) => getWaiting(row).reasons[waits].messages > 0)
          .map((waits) => (
            <span key={waits}>
              {figure(row, getWaiting(row).reasons[waits], ` ${waitLabels[waits]}`, { waits })}
            </span>
          )),
    },
    createCount('Sending', 'sending'),
  ];
}
