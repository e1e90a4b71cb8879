import type { LogFilters } from '../../api/log';
import type { QueuesAnswer, WaitCount, WaitCounts } from '../../api/queues';
import { useApp } from '../context';
import { writeFilters } from '../log/filters';
import { getWaitLabel, waitNames, waitTitles } from '../log/waits';
import { channelIcon, Icon } from '../parts/icons';
import { type Column, Table } from '../parts/table';
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
    <Table
      caption="Messages by why they wait"
      className="q-table"
      columns={createColumns(isAllApps ? 'App' : 'Channel', queues.readAt)}
      rows={rows}
      getKey={({ key }) => key}
    />
  );
}

function createColumns(header: string, readAt: number): Column<WaitRow>[] {
  return [
    {
      header,
      className: 'q-channel',
      isRowHeader: true,
      cell: ({ channel, name }) =>
        channel === undefined ? name : <ChannelName channel={channel} />,
    },
    ...figures.map((figure) => createColumn(figure, readAt)),
  ];
}

function ChannelName({ channel }: { channel: string }) {
  return (
    <span className="state">
      <Icon name={channelIcon(channel)} />
      {channel}
    </span>
  );
}

type Figure = {
  header: string;
  /** Read out after the number. */
  name: string;
  getCount: (counts: WaitCounts) => WaitCount;
  filters: LogFilters;
};

const figures: Figure[] = [
  {
    header: 'Queued',
    name: 'queued',
    getCount: ({ queued }) => queued,
    filters: { state: 'queued' },
  },
  ...waitNames.map((name) => ({
    header: waitTitles[name],
    name,
    getCount: ({ reasons }: WaitCounts) => reasons[name],
    filters: { waits: name },
  })),
  {
    header: 'Sending',
    name: 'sending',
    getCount: ({ sending }) => sending,
    filters: { state: 'sending' },
  },
];

function createColumn(
  { header, name, getCount, filters }: Figure,
  readAt: number,
): Column<WaitRow> {
  return {
    header,
    className: 'num',
    sortBy: ({ counts }) => getCount(counts).messages,
    cell: ({ counts, name: rowName, appId, channel }) => (
      <WaitFigure
        value={getCount(counts)}
        label={`${getWaitLabel(name)}, ${rowName}`}
        readAt={readAt}
        appId={appId}
        search={writeFilters({ ...filters, ...(channel ? { channel } : {}) })}
      />
    ),
  };
}
