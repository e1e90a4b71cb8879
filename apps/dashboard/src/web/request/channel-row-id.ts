import type { ChannelRow } from '../../api/requests';

export function getChannelRowId(channelRow: ChannelRow): string {
  return channelRow.kind === 'message' ? channelRow.messageId : `skipped ${channelRow.channel}`;
}
