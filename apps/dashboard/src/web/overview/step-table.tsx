import type { OverviewAnswer } from '../../api/overview';
import { useApp } from '../context';
import { duration } from '../format';
import { writeFilters } from '../log/filters';
import { Link } from '../parts/controls';
import { Figure } from '../queues/figure';
import { buildPath } from '../route';
import { formatStep, series, sumCounts } from './states';

/** The numbers of the charts: steps with messages, newest first. */
export function StepTable({ overview }: { overview: OverviewAnswer }) {
  const app = useApp();
  const { points, period, stepMs } = overview;
  const steps = points.filter((point) => sumCounts(point) > 0).reverse();
  return (
    <table>
      <thead>
        <tr>
          <th>From</th>
          {series.map(({ name, text }) => (
            <th key={name} className="num">
              {text}
            </th>
          ))}
          <th className="num">p50</th>
          <th className="num">p95</th>
        </tr>
      </thead>
      <tbody>
        {steps.map((point) => {
          const filters = { from: String(point.at), to: String(point.at + stepMs) };
          return (
            <tr key={point.at}>
              <td>
                <Link to={buildPath(app.id, 'log')} search={writeFilters(filters)}>
                  {formatStep(point.at, period)}
                </Link>
              </td>
              {series.map(({ name }) => (
                <Figure key={name} value={point[name]} />
              ))}
              <td className="num">{point.latency && duration(point.latency.p50Ms)}</td>
              <td className="num">{point.latency && duration(point.latency.p95Ms)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
