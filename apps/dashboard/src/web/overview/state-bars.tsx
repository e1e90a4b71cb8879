import type { OverviewPoint } from '../../api/overview';
import { formatFull } from '../dates';
import { count } from '../format';
import styles from './overview.module.css';
import { roundUp, series, stackBars, sumCounts } from './states';

/** Share of a step's width that its bar takes. */
const barWidth = 0.8;

/** Stacked bars, one per step. `label` describes them to screen readers; the numbers are in a table beside them. */
export function StateBars({
  points,
  label,
  className,
}: {
  points: readonly OverviewPoint[];
  label: string;
  className: string | undefined;
}) {
  const peak = roundUp(Math.max(...points.map(sumCounts)));
  return (
    <svg
      className={className}
      viewBox={`0 0 ${points.length} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {points.map((point, step) => (
        <g key={point.at}>
          <title>{describeStep(point)}</title>
          <rect className={styles.hover} x={step} y={0} width={1} height={1} />
          {stackBars(point, peak).map(({ name, from, to }) => (
            <rect
              key={name}
              className={styles[name]}
              x={step + (1 - barWidth) / 2}
              y={1 - to}
              width={barWidth}
              height={to - from}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

function describeStep(point: OverviewPoint): string {
  const parts = series.filter(({ name }) => point[name] > 0);
  const counts = parts.map(({ name, text }) => `${text.toLowerCase()} ${count(point[name])}`);
  return `${formatFull(point.at)}: ${counts.join(', ') || 'no messages'}`;
}
