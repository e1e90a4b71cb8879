import { type ReactNode, useId, useState } from 'react';
import type { OverviewPoint } from '../../api/overview';
import { formatMinute } from '../dates';
import { Button } from '../parts/controls';
import styles from './overview.module.css';

/** A chart with its title, legend and axes, which can be shown as a table instead. */
export function Chart({
  title,
  legend,
  top,
  points,
  table,
  children,
}: {
  title: string;
  legend: ReactNode;
  /** The value at the top of the vertical axis. */
  top: string;
  points: readonly OverviewPoint[];
  table: ReactNode;
  children: ReactNode;
}) {
  const [isTable, setTable] = useState(false);
  const titleId = useId();
  const ticks = [0, 0.25, 0.5, 0.75].map((share) => Math.floor(points.length * share));
  return (
    <section className={styles.section} aria-labelledby={titleId}>
      <div className={styles.head}>
        <h2 id={titleId}>{title}</h2>
        <span className={styles.legend}>{legend}</span>
        <Button look="small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </div>
      {isTable ? (
        // Can be focused, so that the keyboard can scroll it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
        <section className={styles.table} tabIndex={0} aria-labelledby={titleId}>
          {table}
        </section>
      ) : (
        <div className={styles.plot}>
          <span className={styles.top}>{top}</span>
          {children}
          <div className={styles.axis} aria-hidden="true">
            {points
              .filter((_, index) => ticks.includes(index))
              .map(({ at }) => (
                <span key={at}>{formatMinute(at)}</span>
              ))}
          </div>
        </div>
      )}
    </section>
  );
}
