import type { PublishProblem } from '../../api/problem';
import type { RegistryAnswer } from '../../api/registry';
import { useSession } from '../context';
import { getFieldLabel } from '../editor/field-labels';
import styles from './problems.module.css';
import { Mark } from './state-mark';

/** Errors that prevent publishing, and warnings. */
export function Problems({ problems }: { problems: readonly PublishProblem[] }) {
  const { registry } = useSession();
  if (problems.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Problems">
      {problems.map((one) => (
        <li key={`${one.channel} ${one.locale} ${one.field} ${one.line} ${one.problem}`}>
          <Mark name={one.severity === 'error' ? 'failed' : 'attention'} />
          <span>
            <b>{nameLocation(registry, one)}</b>{' '}
            {one.line !== undefined && `${one.line}:${one.column} `}
            {one.problem}
          </span>
        </li>
      ))}
    </ul>
  );
}

function nameLocation(registry: RegistryAnswer, { channel, locale, field }: PublishProblem) {
  const label = channel && field && getFieldLabel(registry, channel, field);
  return [channel, locale, label].filter(Boolean).join(' ');
}
