import type { ReactNode } from 'react';
import { channelIcon, Icon } from '../parts/icons';
import styles from './preview.module.css';

/** A preview with its caption. The parts of the page that lay out previews use the class `shot`. */
export function PreviewFigure({
  channel,
  aside,
  isBare = false,
  isCurrent = false,
  children,
}: {
  channel: string;
  /** At the end of the caption. */
  aside?: string;
  /** Without the caption. */
  isBare?: boolean | undefined;
  isCurrent?: boolean | undefined;
  children: ReactNode;
}) {
  return (
    <figure className={`shot ${styles.figure}`} aria-current={isCurrent ? 'true' : undefined}>
      {!isBare && (
        <figcaption>
          <Icon name={channelIcon(channel)} size={14} />
          <b>{channel}</b>
          {aside !== undefined && <span className="cut">{aside}</span>}
        </figcaption>
      )}
      {children}
    </figure>
  );
}
