import { alertNoticeKinds } from '@belfry/shared';
import type { AlertIncidentAnswer, AlertNotificationAnswer } from '../../api/alerts';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { Link } from '../parts/controls';
import { Moment } from '../parts/moment';
import { Waiting } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { State } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './alerts.module.css';

/** The newest incidents, and what was sent about each. */
export function History({ everyMs }: { everyMs: number }) {
  const appId = useApp().id;
  const list = useAnswer('GET /api/apps/:appId/alerts/history', { appId }, { everyMs });
  return (
    <section aria-label="History">
      <div className="pad">
        <h2 className="sect">History</h2>
      </div>
      {list.value ? (
        <IncidentTable incidents={list.value.incidents} />
      ) : (
        <Waiting loaded={list} reload={list.reload} what="the history" />
      )}
    </section>
  );
}

function IncidentTable({ incidents }: { incidents: readonly AlertIncidentAnswer[] }) {
  const appId = useApp().id;
  const columns: Column<AlertIncidentAnswer>[] = [
    ...incidentColumns,
    {
      header: 'Log',
      isHeaderHidden: true,
      className: `right ${styles.log}`,
      cell: ({ logQuery }) => (
        <Link to={buildPath(appId, 'log')} search={logQuery}>
          Show in log
        </Link>
      ),
    },
  ];
  return (
    <Table
      caption="History of alerts"
      className={`wide-rows ${stacked.rows}`}
      columns={columns}
      rows={incidents}
      getKey={({ id }) => id}
      empty="No alert fired yet."
    />
  );
}

const incidentColumns: Column<AlertIncidentAnswer>[] = [
  {
    header: 'Fired',
    className: `num-left ${styles.time}`,
    cell: ({ firedAt }) => (
      <span data-label="fired">
        <Moment at={firedAt} />
      </span>
    ),
  },
  {
    header: 'Resolved',
    className: `num-left ${styles.time}`,
    cell: ({ resolvedAt }) =>
      resolvedAt === null ? (
        <State name="failed">firing</State>
      ) : (
        <span data-label="resolved">
          <Moment at={resolvedAt} />
        </span>
      ),
  },
  {
    header: 'Alert',
    className: `${stacked.text} ${styles.alert}`,
    cell: ({ phrase, sentence }) => (
      <>
        {phrase}. <span className="dim">{sentence}</span>
      </>
    ),
  },
  { header: 'Notifications', className: stacked.text, cell: (row) => <Notifications of={row} /> },
];

const outcomeMarks = { waiting: 'queued', sent: 'sent', failed: 'failed', not_sent: 'skipped' };

function Notifications({ of: { notifications, isQuiet } }: { of: AlertIncidentAnswer }) {
  if (notifications.length === 0) return isQuiet ? 'quiet: it fired often' : 'none';
  return notifications.map((each) => (
    <div key={each.id}>
      <State name={outcomeMarks[each.outcome]}>{describe(each)}</State>
    </div>
  ));
}

function describe({ kind, outcome, sentBy, detail }: AlertNotificationAnswer): string {
  const words = outcome === 'not_sent' ? 'not sent' : outcome;
  const by = sentBy === null || outcome === 'not_sent' ? '' : ` by ${sentBy}`;
  return `${alertNoticeKinds[kind]}: ${words}${by}${detail === null ? '' : `. ${detail}`}`;
}
