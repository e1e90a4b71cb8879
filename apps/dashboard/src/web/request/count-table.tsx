import type { StateCounts } from '@belfry/shared';
import type { ItemFilters } from '../../api/request-items';
import type { RequestAnswer } from '../../api/requests';
import { count, plural } from '../format';
import { type CountName, countNames } from '../log/channel-summaries';
import { channelIcon, Icon } from '../parts/icons';
import { State } from '../parts/state-mark';
import styles from './bulk.module.css';

type FilterProps = { filters: ItemFilters; onFilter: (filters: ItemFilters) => void };

/** Messages by channel and state. Each number filters the items below. */
export function CountTable({ request, ...filter }: FilterProps & { request: RequestAnswer }) {
  const { counts, channels } = request;
  const names = countNames.filter((name) => counts[name] > 0);
  const rows = Object.entries(channels);
  return (
    <table className={styles.counts} aria-label="Messages by channel and state">
      <thead>
        <tr>
          <th>Channel</th>
          {names.map((name) => (
            <th key={name} className="num">
              <CountLabel name={name} />
            </th>
          ))}
          <th className="num">Total</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([channel, summary]) => (
          <Row key={channel} {...filter} names={names} channel={channel} counts={summary.counts} />
        ))}
        {rows.length > 1 && <Row {...filter} names={names} channel={undefined} counts={counts} />}
      </tbody>
    </table>
  );
}

function Row({
  names,
  channel,
  counts,
  filters,
  onFilter,
}: FilterProps & {
  names: readonly CountName[];
  channel: string | undefined;
  counts: StateCounts;
}) {
  const own: ItemFilters = channel === undefined ? {} : { channel };
  const button = (size: number, next: ItemFilters) => {
    const what = next.state ? `${next.state} message` : 'message';
    if (size === 0) return <span className="faint">0</span>;
    return (
      <button
        type="button"
        aria-pressed={isSame(filters, next)}
        aria-label={`Show ${plural(size, what)}${channel ? ` on ${channel}` : ''}`}
        onClick={() => onFilter(next)}
      >
        {count(size)}
      </button>
    );
  };
  return (
    <tr className={channel === undefined ? styles.sum : ''}>
      <th scope="row">
        {channel === undefined ? (
          'All channels'
        ) : (
          <span className="state">
            <Icon name={channelIcon(channel)} size={14} /> {channel}
          </span>
        )}
      </th>
      {names.map((state) => (
        <td key={state} className="num">
          <span className={styles.label} aria-hidden="true">
            <CountLabel name={state} />
          </span>
          {button(counts[state], { ...own, state })}
        </td>
      ))}
      <td className="num">
        <span className={styles.label} aria-hidden="true">
          total
        </span>
        {button(counts.total, own)}
      </td>
    </tr>
  );
}

function CountLabel({ name }: { name: CountName }) {
  return <State name={name === 'waiting' ? 'queued' : name}>{name}</State>;
}

function isSame(a: ItemFilters, b: ItemFilters): boolean {
  return a.channel === b.channel && a.state === b.state && a.reason === b.reason;
}
