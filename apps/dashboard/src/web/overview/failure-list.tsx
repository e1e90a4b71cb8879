import { getOwn } from '@belfry/shared';
import type { OverviewFailure } from '../../api/overview';
import { useApp, useSession } from '../context';
import { count } from '../format';
import { writeFilters } from '../log/filters';
import { Link } from '../parts/controls';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './overview.module.css';

/** The most frequent reasons, each with its messages in the log and a resend of them. */
export function FailureList({ failures }: { failures: readonly OverviewFailure[] }) {
  const { registry } = useSession();
  const columns: Column<OverviewFailure>[] = [
    {
      header: 'Reason',
      className: styles.reason,
      cell: ({ reason }) => (
        <>
          <code>{reason || 'no reason'}</code> {getOwn(registry.failureReasons, reason)}
        </>
      ),
    },
    { header: 'Channel', className: styles.channel, cell: ({ channel }) => channel },
    {
      header: 'Messages',
      className: `num ${styles.messages}`,
      cell: ({ messages }) => (
        <>
          {count(messages)}
          <span className={styles.label}> {messages === 1 ? 'message' : 'messages'}</span>
        </>
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: `right ${styles.acts}`,
      cell: (failure) => <FailureActs failure={failure} />,
    },
  ];
  return (
    <section className={styles.section} aria-label="Top failure reasons">
      <div className={styles.head}>
        <h2>Top failure reasons</h2>
      </div>
      {failures.length === 0 && <p className={styles.none}>No message failed.</p>}
      {failures.length > 0 && (
        <Table
          caption="Top failure reasons"
          className={styles.failures}
          columns={columns}
          rows={failures}
          getKey={({ channel, reason }) => `${channel} ${reason}`}
        />
      )}
    </section>
  );
}

function FailureActs({ failure: { channel, reason, filters } }: { failure: OverviewFailure }) {
  const app = useApp();
  const { mayChange } = useSession();
  const log = buildPath(app.id, 'log');
  const search = writeFilters(filters);
  const what = (
    <span className="vh">
      {' '}
      {reason} on {channel}
    </span>
  );
  return (
    <>
      <Link className="btn small" to={log} search={search}>
        Show{what}
      </Link>{' '}
      {mayChange && (
        <Link className="btn small" to={log} search={`${search}&do=resend`}>
          Resend these…{what}
        </Link>
      )}
    </>
  );
}
