import styles from './spark.module.css';

const height = 24;
/** Keeps a flat line visible. */
const inset = 1;

/** A sparkline of a rate; the numbers are shown beside it. */
export function Spark({ rates }: { rates: readonly number[] }) {
  const peak = Math.max(...rates, 0);
  const points = rates.map((rate, at) => {
    const share = peak === 0 ? 0 : rate / peak;
    return `${at} ${(height - inset - share * (height - 2 * inset)).toFixed(1)}`;
  });
  const linePath = `M${points.join('L')}`;
  const end = Math.max(rates.length - 1, 1);
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${end} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className={styles.area} d={`${linePath}L${end} ${height}L0 ${height}z`} />
      <path d={linePath} />
    </svg>
  );
}
