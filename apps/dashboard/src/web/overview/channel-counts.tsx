import type { OverviewAnswer, OverviewCounts } from '../../api/overview';
import { useApp } from '../context';
import { count, duration } from '../format';
import { writeFilters } from '../log/filters';
import { Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './overview.module.css';
import { StateBars } from './state-bars';
import { formatRate, series } from './states';

type ChannelRow = OverviewAnswer['channels'][number];

/** A row per channel. Each count is a link to the log with exactly its filter. */
export function ChannelCounts({ overview }: { overview: OverviewAnswer }) {
  return (
    <section className={styles.section} aria-label="Channels">
      <div className={styles.head}>
        <h2>Messages by channel</h2>
      </div>
      <div className={styles.scroll}>
        <Table
          caption="Messages by channel"
          className={styles.channels}
          columns={createColumns(overview)}
          rows={overview.channels}
          getKey={({ channel }) => channel}
        />
      </div>
    </section>
  );
}

function createColumns(overview: OverviewAnswer): Column<ChannelRow>[] {
  return [
    {
      header: 'Channel',
      className: styles.channel,
      isRowHeader: true,
      cell: ({ channel }) => (
        <span className="state">
          <Icon name={channelIcon(channel)} />
          <span>{channel}</span>
        </span>
      ),
    },
    {
      header: 'Messages',
      className: styles.smallHead,
      cell: ({ channel, points }) => (
        <StateBars
          points={points}
          label={`Messages on ${channel} by state`}
          className={styles.smallBars}
        />
      ),
    },
    ...series.map(({ name, text }) => ({
      header: text,
      className: 'num',
      sortBy: ({ totals }: ChannelRow) => totals[name],
      cell: ({ channel, totals }: ChannelRow) => (
        <>
          <Label>{text}</Label>
          <CountLink overview={overview} channel={channel} name={name} totals={totals} />
        </>
      ),
    })),
    {
      header: 'Failure rate',
      className: 'num',
      sortBy: ({ failureRate }) => failureRate,
      cell: ({ failureRate }) => (
        <>
          <Label>Failure rate</Label>
          <span className={failureRate ? 's-failed' : ''}>{formatRate(failureRate)}</span>
        </>
      ),
    },
    ...(['p50', 'p95'] as const).map((name) => ({
      header: name,
      className: 'num',
      sortBy: ({ latency }: ChannelRow) => latency?.[`${name}Ms`],
      cell: ({ latency }: ChannelRow) =>
        latency && (
          <>
            <Label>{name}</Label>
            {duration(latency[`${name}Ms`])}
          </>
        ),
    })),
  ];
}

/** The header of a cell where the table is a list. */
function Label({ children }: { children: string }) {
  return <span className={styles.label}>{children} </span>;
}

function CountLink({
  overview,
  channel,
  name,
  totals,
}: {
  overview: OverviewAnswer;
  channel: string;
  name: keyof OverviewCounts;
  totals: OverviewCounts;
}) {
  const app = useApp();
  const value = totals[name];
  if (value === 0) return <span className="faint">0</span>;
  const filters = {
    channel,
    state: name,
    from: String(overview.from),
    to: String(overview.to),
  };
  return (
    <Link to={buildPath(app.id, 'log')} search={writeFilters(filters)}>
      {count(value)}
      <span className="vh">
        {' '}
        {name} on {channel}
      </span>
    </Link>
  );
}
