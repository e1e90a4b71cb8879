import type { StateGroup } from '@belfry/shared';
import type { ReasonGroup } from '../api/requests';
import { explainGroup } from './explain';

/** The groups of a request in the order of the channels, the largest first. */
export function listReasonGroups(
  channels: readonly string[],
  groups: readonly StateGroup[],
): ReasonGroup[] {
  const sorted = groups.toSorted((a, b) => b.count - a.count);
  return channels.flatMap((channel) =>
    sorted.filter((group) => group.channel === channel).map(toReasonGroup),
  );
}

function toReasonGroup(group: StateGroup): ReasonGroup {
  return { ...group, explanation: explainGroup(group) };
}
