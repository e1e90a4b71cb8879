import type { ResendRun } from '../../api/resends';
import { Mark } from '../parts/state-mark';
import { formatOutcome, type RunFacts } from './run-outcome';

const marks: Record<Exclude<ResendRun['state'], 'finished'>, string> = {
  running: 'sending',
  paused: 'paused',
  cancelled: 'skipped',
};
const resultMarks = { succeeded: 'delivered', partly: 'attention', failed: 'failed' };

/** A finished run is green only if every message was sent. */
export function RunState({ run }: { run: RunFacts }) {
  const { state, result } = run;
  const finishedMark = result ? resultMarks[result] : 'dot';
  const outcome = formatOutcome(run);
  return (
    <span className="state">
      <Mark name={state === 'finished' ? finishedMark : marks[state]} />
      <span>{state}</span>
      {outcome && <span className="faint">{outcome}</span>}
    </span>
  );
}
