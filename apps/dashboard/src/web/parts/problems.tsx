import type { PublishProblem } from '../../api/problem';
import { Mark } from './state-mark';

/** Errors that prevent publishing, and warnings. */
export function Problems({ problems }: { problems: readonly PublishProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="problems boxed" aria-label="Problems">
      {problems.map((one) => (
        <li key={`${one.channel} ${one.locale} ${one.field} ${one.line} ${one.problem}`}>
          <Mark name={one.severity === 'error' ? 'failed' : 'attention'} />
          <span>
            <b>{[one.channel, one.locale, one.field].filter(Boolean).join(' ')}</b>{' '}
            {one.line !== undefined && `${one.line}:${one.column} `}
            {one.problem}
          </span>
        </li>
      ))}
    </ul>
  );
}
