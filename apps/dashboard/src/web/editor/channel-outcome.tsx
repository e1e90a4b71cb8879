import type { ReactNode } from 'react';
import type { Explanation } from '../../api/requests';
import { channelIcon, Icon } from '../parts/icons';
import { State } from '../parts/state-mark';
import { ExplanationText } from '../request/explanation-text';

/** The result of a test on one channel: the state of the message, its address and the reason. */
export function ChannelOutcome({
  channel,
  mark,
  text,
  reason,
  target,
  after,
  explanation,
  children,
}: {
  channel: string;
  mark: string;
  text: string;
  reason: string | null;
  target: string | null;
  /** At the end of the first line. */
  after?: ReactNode;
  explanation: Explanation | null;
  children?: ReactNode;
}) {
  return (
    <li>
      <p>
        <span className="state">
          <Icon name={channelIcon(channel)} size={14} /> <b>{channel}</b>
        </span>{' '}
        <State name={mark}>
          {text} {reason && <code>{reason}</code>}
        </State>{' '}
        {target && <span className="mono">{target}</span>} {after}
      </p>
      <ExplanationText explanation={explanation} />
      {children}
    </li>
  );
}
