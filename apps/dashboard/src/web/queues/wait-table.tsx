import type { QueuesAnswer, WaitCounts } from '../../api/queues';
import { useApp } from '../context';
import { writeFilters } from '../log/filters';
import { getWaitLabel, waitNames, waitTitles } from '../log/waits';
import { channelIcon, Icon } from '../parts/icons';
import { WaitFigure } from './wait-figure';

type WaitRow = {
  key: string;
  name: string;
  counts: WaitCounts;
  appId: string;
  channel?: string;
};

/** Why messages wait: a row for each channel of one app, or for each app. */
export function WaitTable({ queues, isAllApps }: { queues: QueuesAnswer; isAllApps: boolean }) {
  const app = useApp();
  const { readAt } = queues;
  const rows: WaitRow[] = isAllApps
    ? queues.apps.map((one) => ({ key: one.appId, name: one.name, counts: one, appId: one.appId }))
    : queues.channels.map((one) => ({
        key: one.channel,
        name: one.channel,
        counts: one,
        appId: app.id,
        channel: one.channel,
      }));
  return (
    <table className="q-table" aria-label="Messages by why they wait">
      <thead>
        <tr>
          <th className="q-channel">{isAllApps ? 'App' : 'Channel'}</th>
          <th className="num">Queued</th>
          {waitNames.map((name) => (
            <th key={name} className="num">
              {waitTitles[name]}
            </th>
          ))}
          <th className="num">Sending</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row" className="q-channel">
              {row.channel === undefined ? row.name : <ChannelName channel={row.channel} />}
            </th>
            <WaitCells row={row} readAt={readAt} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ChannelName({ channel }: { channel: string }) {
  return (
    <span className="state">
      <Icon name={channelIcon(channel)} />
      {channel}
    </span>
  );
}

function WaitCells({ row, readAt }: { row: WaitRow; readAt: number }) {
  const { counts, appId, channel } = row;
  const cells = [
    { name: 'queued', value: counts.queued, filters: { state: 'queued' } },
    ...waitNames.map((name) => ({ name, value: counts.reasons[name], filters: { waits: name } })),
    { name: 'sending', value: counts.sending, filters: { state: 'sending' } },
  ];
  return cells.map(({ name, value, filters }) => (
    <td key={name} className="num">
      <WaitFigure
        value={value}
        label={`${getWaitLabel(name)}, ${row.name}`}
        readAt={readAt}
        appId={appId}
        search={writeFilters({ ...filters, ...(channel ? { channel } : {}) })}
      />
    </td>
  ));
}
