import type { OverviewFailure } from '../../api/overview';
import { useApp, useSession } from '../context';
import { count } from '../format';
import { writeFilters } from '../log/filters';
import { Link } from '../parts/controls';
import { buildPath } from '../route';
import styles from './overview.module.css';

/** The most frequent reasons, each with its messages in the log and a resend of them. */
export function FailureList({ failures }: { failures: readonly OverviewFailure[] }) {
  const app = useApp();
  const { mayChange, registry } = useSession();
  const log = buildPath(app.id, 'log');
  return (
    <section className={styles['section']} aria-label="Top failure reasons">
      <div className={styles['head']}>
        <h2>Top failure reasons</h2>
      </div>
      {failures.length === 0 && <p className={styles['none']}>No message failed.</p>}
      {failures.length > 0 && (
        <table>
          <tbody>
            {failures.map(({ channel, reason, messages, filters }) => (
              <tr key={`${channel} ${reason}`}>
                <td className={styles['reason']}>
                  <code>{reason || 'no reason'}</code> {registry.failureReasons[reason]}
                </td>
                <td className={styles['channel']}>{channel}</td>
                <td className={`num ${styles['messages']}`}>{count(messages)}</td>
                <td className={`right ${styles['acts']}`}>
                  <Link className="btn small" to={log} search={writeFilters(filters)}>
                    Show
                    <span className="vh">
                      {' '}
                      {reason} on {channel}
                    </span>
                  </Link>{' '}
                  {mayChange && (
                    <Link
                      className="btn small"
                      to={log}
                      search={`${writeFilters(filters)}&do=resend`}
                    >
                      Resend these…
                      <span className="vh">
                        {' '}
                        {reason} on {channel}
                      </span>
                    </Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
