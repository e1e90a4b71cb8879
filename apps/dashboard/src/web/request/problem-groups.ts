import type { ReasonGroup } from '../../api/requests';

/** Failed groups, then skipped ones, the largest first. */
export function listProblemGroups(groups: readonly ReasonGroup[]): ReasonGroup[] {
  return ['failed', 'skipped'].flatMap((state) =>
    groups.filter((group) => group.state === state).toSorted((a, b) => b.count - a.count),
  );
}
