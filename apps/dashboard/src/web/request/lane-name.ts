import type { Lane } from '../../api/requests';

export function nameOf(lane: Lane): string {
  return lane.kind === 'message' ? lane.messageId : `skipped ${lane.channel}`;
}
