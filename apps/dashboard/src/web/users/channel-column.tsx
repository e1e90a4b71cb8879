import { channelIcon, Icon } from '../parts/icons';
import type { Column } from '../parts/table';
import styles from './users.module.css';

export const channelColumn: Column<{ channel: string }> = {
  header: 'Channel',
  className: styles.channel,
  cell: ({ channel }) => (
    <span className="state">
      <Icon name={channelIcon(channel)} size={14} /> {channel}
    </span>
  ),
};
