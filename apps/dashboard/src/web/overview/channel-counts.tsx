import type { OverviewAnswer, OverviewCounts } from '../../api/overview';
import { useApp } from '../context';
import { count, duration } from '../format';
import { writeFilters } from '../log/filters';
import { Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { buildPath } from '../route';
import styles from './overview.module.css';
import { StateBars } from './state-bars';
import { formatRate, listLogStates, series } from './states';

/** A row per channel. Each count is a link to the log with exactly its filter. */
export function ChannelCounts({ overview }: { overview: OverviewAnswer }) {
  const { channels, period } = overview;
  return (
    <section className={styles['section']} aria-label="Channels">
      <div className={styles['scroll']}>
        <table>
          <thead>
            <tr>
              <th className={styles['channel']}>Channel</th>
              <th className={styles['small-head']}>Messages</th>
              {series.map(({ name, text }) => (
                <th key={name} className="num">
                  {text}
                </th>
              ))}
              <th className="num">Failure rate</th>
              <th className="num">p50</th>
              <th className="num">p95</th>
            </tr>
          </thead>
          <tbody>
            {channels.map(({ channel, totals, failureRate, latency, points }) => (
              <tr key={channel}>
                <th scope="row">
                  <span className="state">
                    <Icon name={channelIcon(channel)} />
                    <span>{channel}</span>
                  </span>
                </th>
                <td>
                  <StateBars
                    points={points}
                    period={period}
                    label={`Messages on ${channel} by state`}
                    className={styles['small-bars']}
                  />
                </td>
                {series.map(({ name }) => (
                  <td key={name} className="num">
                    <CountLink overview={overview} channel={channel} name={name} totals={totals} />
                  </td>
                ))}
                <td className={failureRate ? 'num s-failed' : 'num'}>{formatRate(failureRate)}</td>
                <td className="num">{latency && duration(latency.p50Ms)}</td>
                <td className="num">{latency && duration(latency.p95Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
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
  const [state, ...others] = listLogStates(name);
  if (value === 0) return <span className="faint">0</span>;
  // The log filters by one state; a count of several links to all messages of the channel.
  const filters = {
    channel,
    ...(state !== undefined && others.length === 0 && { state }),
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
