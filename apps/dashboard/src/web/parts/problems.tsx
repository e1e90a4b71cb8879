import type { PublishProblem } from '../../api/problem';
import type { RegistryAnswer } from '../../api/registry';
import { useSession } from '../context';
import { getFieldLabel } from '../editor/field-labels';
import styles from './problems.module.css';
import { Mark } from './state-mark';

/** Errors that prevent publishing, and warnings. */
export function Problems({
  problems,
  isBelowTemplate = false,
}: {
  problems: readonly PublishProblem[];
  /** The list belongs to one channel and language, so it does not name them. */
  isBelowTemplate?: boolean;
}) {
  const { registry } = useSession();
  if (problems.length === 0) return null;
  return (
    <ul
      className={isBelowTemplate ? `${styles.list} ${styles.below}` : styles.list}
      aria-label="Problems"
    >
      {problems.map((one) => {
        const { channel, locale, field, line, column, problem } = one;
        const place = isBelowTemplate ? [] : [channel, locale];
        const location = [...place, getLabel(registry, one)].filter(Boolean).join(' ');
        return (
          <li key={`${channel} ${locale} ${field} ${line} ${column} ${problem}`}>
            <Mark name={one.severity === 'error' ? 'failed' : 'attention'} />
            <span>
              {location && <b>{location}</b>}{' '}
              {line !== undefined && (
                <span className={styles.position}>
                  {line}:{column}
                </span>
              )}{' '}
              {problem}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function getLabel(registry: RegistryAnswer, { channel, field }: PublishProblem) {
  return channel && field && getFieldLabel(registry, channel, field);
}
