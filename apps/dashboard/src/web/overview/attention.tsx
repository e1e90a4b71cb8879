import type { OverviewBacklog, UnhealthyIntegration } from '../../api/overview';
import { useApp } from '../context';
import { count, duration, rate } from '../format';
import { HealthMark } from '../integrations/health';
import { Link } from '../parts/controls';
import { State } from '../parts/state-mark';
import { buildPath } from '../route';
import styles from './overview.module.css';

/** Integrations that are not healthy, with the reason. */
export function UnhealthyIntegrations({
  integrations,
}: {
  integrations: readonly UnhealthyIntegration[];
}) {
  const app = useApp();
  return (
    <section className={styles['section']} aria-label="Unhealthy integrations">
      <div className={styles['head']}>
        <h2>Unhealthy integrations</h2>
      </div>
      {integrations.length === 0 && (
        <p className={styles['none']}>
          <State name="delivered">No integration fails.</State>
        </p>
      )}
      {integrations.length > 0 && (
        <table>
          <tbody>
            {integrations.map(({ id, name, channel, provider, health, stateReason }) => (
              <tr key={id}>
                <td className="ev">
                  <Link to={buildPath(app.id, 'integrations', id)}>{name}</Link>
                </td>
                <td>
                  {channel}, {provider}
                </td>
                <td>
                  <HealthMark health={health} />
                </td>
                <td className={styles['reason']}>{stateReason ?? health.lastError}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Messages that are due, and when they are sent at the rate of the last 5 minutes. */
export function Backlog({ backlog }: { backlog: readonly OverviewBacklog[] }) {
  const app = useApp();
  return (
    <section className={styles['section']} aria-label="Backlog">
      <div className={styles['head']}>
        <h2>Backlog</h2>
        <Link to={buildPath(app.id, 'queues')}>Queues</Link>
      </div>
      {backlog.length === 0 && <p className={styles['none']}>No message is due.</p>}
      {backlog.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Channel</th>
              <th className="num">Due now</th>
              <th className="num">Per second, last 5 min</th>
              <th className="num">Time to drain</th>
            </tr>
          </thead>
          <tbody>
            {backlog.map(({ channel, waiting, isCapped, perSecond, drainMs }) => (
              <tr key={channel}>
                <th scope="row">{channel}</th>
                <td className="num">
                  {count(waiting)}
                  {isCapped ? '+' : ''}
                </td>
                <td className="num">{rate(perSecond)}</td>
                <td className={drainMs === null ? 'num s-attention' : 'num'}>
                  {formatDrain({ drainMs, isOver: isCapped })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function formatDrain({ drainMs, isOver }: { drainMs: number | null; isOver: boolean }): string {
  if (drainMs === null) return 'nothing is being sent';
  return isOver ? `over ${duration(drainMs)}` : duration(drainMs);
}
