import type { StateCounts } from '@belfry/shared';
import type { ChannelSummary } from '../../api/log';
import { useSession } from '../context';
import { channelIcon, Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { computeFill, formatSummaries, formatSummary } from './channel-summaries';
import styles from './log.module.css';

/** Channel states of one request, always in the same columns. */
export function ChannelColumns({
  summaries,
  isBulk,
}: {
  summaries: Record<string, ChannelSummary>;
  isBulk: boolean;
}) {
  const { registry } = useSession();
  const channels = registry.channels.map(({ channel }) => channel);
  return (
    <span
      className={styles.columns}
      role="img"
      aria-label={formatSummaries(channels, summaries, isBulk)}
    >
      {channels.map((channel) => (
        <ChannelColumn
          key={channel}
          channel={channel}
          summary={summaries[channel]}
          isBulk={isBulk}
        />
      ))}
    </span>
  );
}

function ChannelColumn({
  channel,
  summary,
  isBulk,
}: {
  channel: string;
  summary: ChannelSummary | undefined;
  isBulk: boolean;
}) {
  if (!summary) return <Mark name="none" size={13} />;
  const title = formatSummary(channel, summary, isBulk);
  if (isBulk) return <Measure counts={summary.counts} title={title} />;
  return (
    <span title={title}>
      <Mark name={summary.wait?.reason === 'retry' ? 'retry' : summary.state} size={13} />
    </span>
  );
}

/** A bulk request shows its progress as a fill level. */
function Measure({ counts, title }: { counts: StateCounts; title: string }) {
  const height = (share: number) => 13 * share;
  let filled = 0;
  const parts = computeFill(counts).map(({ state, share }) => {
    filled += share;
    return { state, y: height(1 - filled), height: height(share) };
  });
  return (
    <svg width="11" height="13" viewBox="0 0 11 13" aria-hidden="true">
      <title>{title}</title>
      <rect className={styles.waiting} width="11" height="13" rx="2" />
      {parts.map(({ state, ...place }) => (
        <rect key={state} className={styles[state]} width="11" {...place} />
      ))}
    </svg>
  );
}

export function ChannelColumnsHead() {
  const { registry } = useSession();
  return (
    <span className={styles.columns}>
      {registry.channels.map(({ channel }) => (
        <span key={channel} title={channel}>
          <Icon name={channelIcon(channel)} size={13} />
          <span className="vh">{channel}</span>
        </span>
      ))}
    </span>
  );
}
