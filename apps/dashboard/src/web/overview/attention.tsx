import type { OverviewAnswer, OverviewBacklog, UnhealthyIntegration } from '../../api/overview';
import { useApp } from '../context';
import { count, duration, plural, rate } from '../format';
import { HealthMark } from '../integrations/health';
import { Link } from '../parts/controls';
import { Name } from '../parts/name';
import stacked from '../parts/stacked-rows.module.css';
import { State } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './overview.module.css';

/** Integrations that are not healthy, with the reason. */
export function UnhealthyIntegrations({ overview }: { overview: OverviewAnswer }) {
  const app = useApp();
  const integrations = overview.unhealthyIntegrations;
  const columns: Column<UnhealthyIntegration>[] = [
    {
      header: 'Integration',
      className: `ev ${stacked.text}`,
      cell: ({ id, name }) => (
        <Link to={buildPath(app.id, 'integrations', id)}>
          <Name text={name} />
        </Link>
      ),
    },
    { header: 'Provider', cell: ({ channel, provider }) => `${channel}, ${provider}` },
    {
      header: 'Health',
      className: stacked.text,
      cell: ({ health }) => <HealthMark health={health} />,
    },
    {
      header: 'Reason',
      className: stacked.text,
      cell: ({ stateReason, health }) => stateReason ?? health.lastError,
    },
  ];
  return (
    <section className={styles.section} aria-label="Unhealthy integrations">
      <div className={styles.head}>
        <h2>Unhealthy integrations</h2>
      </div>
      {integrations.length === 0 && (
        <p className={styles.none}>
          <OtherIntegrations overview={overview} />
        </p>
      )}
      {integrations.length > 0 && (
        <Table
          caption="Unhealthy integrations"
          className={stacked.rows}
          columns={columns}
          rows={integrations}
          getKey={({ id }) => id}
        />
      )}
    </section>
  );
}

/** Says that no integration fails, if one was used or tested. */
function OtherIntegrations({
  overview: { healthyIntegrations: healthy, untestedIntegrations: untested },
}: {
  overview: OverviewAnswer;
}) {
  if (healthy + untested === 0) return 'No integrations yet.';
  if (healthy === 0) return `${plural(untested, 'integration')}, not used or tested yet.`;
  const rest = untested === 0 ? '' : ` ${count(untested)} not used or tested yet.`;
  return <State name="delivered">{`No integration fails.${rest}`}</State>;
}

/** Messages that are due, and when they are sent at the rate of the last 5 minutes. */
export function Backlog({ backlog }: { backlog: readonly OverviewBacklog[] }) {
  const app = useApp();
  return (
    <section className={styles.section} aria-label="Backlog">
      <div className={styles.head}>
        <h2>Backlog</h2>
        <Link to={buildPath(app.id, 'queues')}>Queues</Link>
      </div>
      {backlog.length === 0 && <p className={styles.none}>No message is due.</p>}
      {backlog.length > 0 && (
        <Table
          caption="Backlog"
          className=""
          columns={backlogColumns}
          rows={backlog}
          getKey={({ channel }) => channel}
        />
      )}
    </section>
  );
}

const backlogColumns: Column<OverviewBacklog>[] = [
  { header: 'Channel', isRowHeader: true, cell: ({ channel }) => channel },
  {
    header: 'Due now',
    className: 'num',
    sortBy: ({ waiting }) => waiting,
    cell: ({ waiting, isCapped }) => `${count(waiting)}${isCapped ? '+' : ''}`,
  },
  {
    header: 'Per second, last 5 min',
    className: 'num',
    sortBy: ({ perSecond }) => perSecond,
    cell: ({ perSecond }) => rate(perSecond),
  },
  {
    header: 'Time to drain',
    className: 'num',
    sortBy: ({ drainMs }) => drainMs ?? Number.POSITIVE_INFINITY,
    cell: ({ drainMs, isCapped }) => (
      <span className={drainMs === null ? 's-attention' : ''}>
        {formatDrain({ drainMs, isOver: isCapped })}
      </span>
    ),
  },
];

function formatDrain({ drainMs, isOver }: { drainMs: number | null; isOver: boolean }): string {
  if (drainMs === null) return 'nothing is being sent';
  return isOver ? `over ${duration(drainMs)}` : duration(drainMs);
}
