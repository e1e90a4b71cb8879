import type { CSSProperties } from 'react';
import type { Lane, MessageLane, RequestAnswer } from '../../api/requests';
import { channelIcon, Icon } from '../parts/icons';
import { Mark, State } from '../parts/state-mark';
import { type Axis, axisOf, type Bit, bitsOf } from './lane-axis';
import { nameOf } from './lane-name';

/** React writes these by script, which the Content-Security-Policy allows; an attribute in HTML it would not. */
const at = (x: number, width = 0) => ({ '--x': `${x}%`, '--w': `${width}%` }) as CSSProperties;

export function Lanes({
  request,
  selected,
  onSelect,
}: {
  request: RequestAnswer;
  selected: Lane | undefined;
  onSelect: (lane: Lane) => void;
}) {
  const messages = request.lanes.filter((lane): lane is MessageLane => lane.kind === 'message');
  const axis = axisOf(messages, request.acceptedAt, request.readAt);
  const grid = { '--decade': `${100 / axis.decades}%` } as CSSProperties;
  return (
    <section className="lanes" aria-label="Messages" style={grid}>
      <div className="axis" aria-hidden="true">
        <span>Channel</span>
        <span>Provider</span>
        <span>To</span>
        <span className="track" title="Time since accepted, logarithmic">
          {axis.labels.map(({ x, text }) => (
            <span key={text} style={at(x)}>
              {text}
            </span>
          ))}
        </span>
        <span>State</span>
      </div>
      {request.lanes.map((lane) => (
        <button
          key={nameOf(lane)}
          type="button"
          className="lane"
          aria-pressed={lane === selected}
          onClick={() => onSelect(lane)}
        >
          <LaneHead lane={lane} />
          {lane.kind === 'message' && <Track lane={lane} axis={axis} request={request} />}
          <State name={lane.kind === 'message' ? markOf(lane) : 'skipped'}>
            {lane.kind === 'message' ? lane.state : 'skipped'}
          </State>
        </button>
      ))}
    </section>
  );
}

function markOf({ state, attempts }: MessageLane): string {
  return state === 'queued' && attempts > 0 ? 'retry' : state;
}

function LaneHead({ lane }: { lane: Lane }) {
  const isMessage = lane.kind === 'message';
  const provider = isMessage ? lastProvider(lane) : '';
  return (
    <>
      <span className="ch">
        <Icon name={channelIcon(lane.channel)} size={15} />
        <span className="cut">{lane.channel}</span>
        {isMessage && lane.generation > 0 && (
          <small title="Sent again"> {lane.generation + 1}</small>
        )}
      </span>
      <span className="faint cut">{provider}</span>
      {isMessage ? (
        <span className="cut dim" title={lane.target}>
          {lane.target}
        </span>
      ) : (
        <span className="untried cut dim" title={lane.detail}>
          {lane.detail} <code>{lane.reason}</code>
        </span>
      )}
    </>
  );
}

function lastProvider({ steps }: MessageLane): string {
  const last = steps.findLast((step) => step.kind === 'attempt');
  return last?.kind === 'attempt' ? (last.provider ?? '') : '';
}

function Track({ lane, axis, request }: { lane: MessageLane; axis: Axis; request: RequestAnswer }) {
  return (
    <span className="track">
      {bitsOf(lane, axis, request).map((bit) => (
        <TrackBit key={`${bit.kind} ${bit.x} ${bit.title}`} bit={bit} />
      ))}
    </span>
  );
}

function TrackBit({ bit }: { bit: Bit }) {
  if (bit.kind.startsWith('mark ')) {
    return (
      <span className="receipt" style={at(bit.x)} title={bit.title}>
        <Mark name={bit.kind.slice('mark '.length)} size={13} />
      </span>
    );
  }
  return <span className={`bit ${bit.kind}`} style={at(bit.x, bit.width)} title={bit.title} />;
}
