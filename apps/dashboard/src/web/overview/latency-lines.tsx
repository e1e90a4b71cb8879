import type { OverviewPoint } from '../../api/overview';
import styles from './overview.module.css';

/** Lines of p50 and p95. A step without messages interrupts them. */
export function LatencyLines({
  points,
  peakMs,
  label,
}: {
  points: readonly OverviewPoint[];
  peakMs: number;
  label: string;
}) {
  return (
    <svg
      className={styles.chart}
      viewBox={`0 0 ${points.length} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <path className={styles.p95} d={buildPath(points, 'p95Ms', peakMs)} />
      <path className={styles.p50} d={buildPath(points, 'p50Ms', peakMs)} />
    </svg>
  );
}

/** A lone point is a short line, because a path of one point is not drawn. */
function buildPath(
  points: readonly OverviewPoint[],
  name: 'p50Ms' | 'p95Ms',
  peakMs: number,
): string {
  return points
    .map(({ latency }, step) => {
      if (!latency) return '';
      const y = 1 - latency[name] / peakMs;
      const move = points[step - 1]?.latency ? 'L' : 'M';
      return `${move}${step + 0.3} ${y}L${step + 0.7} ${y}`;
    })
    .join('');
}
