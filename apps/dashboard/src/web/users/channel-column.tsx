import { channelIcon, Icon } from '../parts/icons';
import type { Column } from '../parts/table';

export const channelColumn: Column<{ channel: string }> = {
  header: 'Channel',
  className: 'c-channel',
  cell: ({ channel }) => (
    <span className="state">
      <Icon name={channelIcon(channel)} size={14} /> {channel}
    </span>
  ),
};
