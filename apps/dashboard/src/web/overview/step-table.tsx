import type { OverviewAnswer } from '../../api/overview';
import { useApp } from '../context';
import { formatFull, formatMinute } from '../dates';
import { count, duration } from '../format';
import { writeFilters } from '../log/filters';
import { Link } from '../parts/controls';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './overview.module.css';
import { series, sumCounts } from './states';

type Point = OverviewAnswer['points'][number];

/** The numbers of the charts: steps with messages, newest first. */
export function StepTable({ overview }: { overview: OverviewAnswer }) {
  const app = useApp();
  const { points, stepMs } = overview;
  const steps = points.filter((point) => sumCounts(point) > 0).reverse();
  const columns: Column<Point>[] = [
    {
      header: 'From',
      cell: ({ at }) => (
        <Link
          to={buildPath(app.id, 'log')}
          search={writeFilters({ from: String(at), to: String(at + stepMs) })}
          title={formatFull(at)}
        >
          {formatMinute(at)}
        </Link>
      ),
    },
    ...series.map(({ name, text }) => ({
      header: text,
      className: 'num',
      sortBy: (point: Point) => point[name],
      cell: (point: Point) => (
        <span className={point[name] === 0 ? 'zero' : ''}>{count(point[name])}</span>
      ),
    })),
    { header: 'p50', className: 'num', cell: ({ latency }) => latency && duration(latency.p50Ms) },
    { header: 'p95', className: 'num', cell: ({ latency }) => latency && duration(latency.p95Ms) },
  ];
  return (
    <Table
      caption="Messages by time"
      className={styles.steps}
      columns={columns}
      rows={steps}
      getKey={({ at }) => String(at)}
    />
  );
}
