import type { ReactNode } from 'react';
import type { WaitCount } from '../../api/queues';
import { count, duration } from '../format';
import { Link } from '../parts/controls';
import { buildPath } from '../route';
import styles from './queues.module.css';

/** A number of messages as a link to exactly these in the log, with the age of the oldest. 0 is faint. */
export function WaitFigure({
  value: { messages, isCapped, oldestAt },
  label,
  readAt,
  appId,
  search,
}: {
  value: WaitCount;
  /** After the number, in its link. */
  label: ReactNode;
  readAt: number;
  /** The log is of one app: a count over several apps is no link. */
  appId?: string | undefined;
  search: string;
}) {
  const text = `${count(messages)}${isCapped ? '+' : ''}`;
  if (messages === 0) return <span className="faint">{text}</span>;
  return (
    <>
      {appId === undefined ? (
        <>
          {text}
          {label}
        </>
      ) : (
        <Link to={buildPath(appId, 'log')} search={search}>
          {text}
          {label}
        </Link>
      )}
      {oldestAt !== null && (
        <span className={styles.sub}>oldest {duration(Math.max(0, readAt - oldestAt))}</span>
      )}
    </>
  );
}
