import type { ResendRun } from '../../api/resends';
import { Mark } from '../parts/state-mark';

const markByState: Record<ResendRun['state'], string> = {
  running: 'sending',
  paused: 'paused',
  finished: 'delivered',
  cancelled: 'skipped',
};

export function RunState({ state }: Pick<ResendRun, 'state'>) {
  return (
    <span className="state">
      <Mark name={markByState[state]} />
      {state}
    </span>
  );
}
