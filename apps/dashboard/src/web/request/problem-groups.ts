import type { ReasonGroup } from '../../api/requests';

/** Failed groups, then unknown and skipped ones; of each state the largest first. */
export function listProblemGroups(groups: readonly ReasonGroup[]): ReasonGroup[] {
  return ['failed', 'unknown', 'skipped'].flatMap((state) =>
    groups.filter((group) => group.state === state).toSorted((a, b) => b.count - a.count),
  );
}
