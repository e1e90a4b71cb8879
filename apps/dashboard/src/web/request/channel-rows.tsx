import type { CSSProperties } from 'react';
import type { ChannelRow, MessageChannelRow, RequestAnswer } from '../../api/requests';
import { channelIcon, Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { Mark, State } from '../parts/state-mark';
import { getChannelRowId } from './channel-row-id';
import { describeState, getMark } from './channel-row-state';
import styles from './channel-rows.module.css';
import { type Axis, type Bit, createAxis, createBits } from './timeline-axis';

/** React sets these styles by script, which the Content-Security-Policy allows; HTML style attributes are blocked. */
const toStyle = (x: number, width = 0) => ({ '--x': `${x}%`, '--w': `${width}%` }) as CSSProperties;

export function ChannelRows({
  request,
  selected,
  onSelect,
}: {
  request: RequestAnswer;
  selected: ChannelRow | undefined;
  onSelect: (channelRow: ChannelRow) => void;
}) {
  const messages = request.channelRows.filter(
    (channelRow): channelRow is MessageChannelRow => channelRow.kind === 'message',
  );
  const axis = createAxis(messages, request.acceptedAt, request.readAt);
  const grid = { '--decade': `${100 / axis.decades}%` } as CSSProperties;
  return (
    <section className={styles.rows} aria-label="Messages" style={grid}>
      <div className={styles.axis} aria-hidden="true">
        <span>Channel</span>
        <span>Provider</span>
        <span>To</span>
        <span className={styles.track} title="Time since accepted, logarithmic">
          {axis.labels.map(({ x, text }) => (
            <span key={text} style={toStyle(x)}>
              {text}
            </span>
          ))}
        </span>
        <span>State</span>
      </div>
      {request.channelRows.map((channelRow) => (
        <button
          key={getChannelRowId(channelRow)}
          type="button"
          className={styles.row}
          aria-pressed={channelRow === selected}
          onClick={() => onSelect(channelRow)}
        >
          <ChannelRowHead channelRow={channelRow} />
          {channelRow.kind === 'message' && (
            <Track channelRow={channelRow} axis={axis} request={request} />
          )}
          <State name={getMark(channelRow)}>{describeState(channelRow)}</State>
        </button>
      ))}
    </section>
  );
}

function ChannelRowHead({ channelRow }: { channelRow: ChannelRow }) {
  const isMessage = channelRow.kind === 'message';
  const provider = isMessage ? getLastProvider(channelRow) : '';
  return (
    <>
      <span className={styles.channel}>
        <Icon name={channelIcon(channelRow.channel)} size={15} />
        <span className="cut">{channelRow.channel}</span>
        {isMessage && channelRow.generation > 0 && (
          <small title="Resent"> {channelRow.generation + 1}</small>
        )}
      </span>
      <span className="faint cut">{provider}</span>
      {isMessage ? (
        <span className="dim">
          <Name text={channelRow.target} />
        </span>
      ) : (
        <span className={`dim ${styles.untried}`}>
          {channelRow.detail} <code>{channelRow.reason}</code>
        </span>
      )}
    </>
  );
}

function getLastProvider({ steps }: MessageChannelRow): string {
  const last = steps.findLast((step) => step.kind === 'attempt');
  return last?.kind === 'attempt' ? (last.provider ?? '') : '';
}

function Track({
  channelRow,
  axis,
  request,
}: {
  channelRow: MessageChannelRow;
  axis: Axis;
  request: RequestAnswer;
}) {
  return (
    <span className={styles.track}>
      {createBits(channelRow, axis, request).map((bit) => (
        <TrackBit key={`${bit.kind} ${bit.x} ${bit.title}`} bit={bit} />
      ))}
    </span>
  );
}

function TrackBit({ bit }: { bit: Bit }) {
  if (bit.kind.startsWith('mark ')) {
    return (
      <span className={styles.receipt} style={toStyle(bit.x)} title={bit.title}>
        <Mark name={bit.kind.slice('mark '.length)} size={13} />
      </span>
    );
  }
  const className = `${styles.bit} ${styles[bit.kind]}`;
  return <span className={className} style={toStyle(bit.x, bit.width)} title={bit.title} />;
}
