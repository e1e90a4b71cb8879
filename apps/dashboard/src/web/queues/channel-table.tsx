import { type ReactNode, useState } from 'react';
import type { ChannelQueue } from '../../api/queues';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { moment, rate } from '../format';
import { Button } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { NoteBox, ProblemNote } from '../parts/notes';
import { Spark } from '../parts/spark';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';

/** A row for each channel, with its problem below it. */
export function ChannelTable({
  channels,
  canPause,
  readAt,
  onChanged,
}: {
  channels: ChannelQueue[];
  canPause: boolean;
  readAt: number;
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [problem, setProblem] = useState<PageProblem>();
  async function togglePause({ channel, isPaused }: ChannelQueue) {
    const action = isPaused ? 'resume' : 'pause';
    const answer = await api.call(`POST /api/apps/:appId/channels/:channel/${action}`, {
      appId: app.id,
      channel,
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    await onChanged();
  }
  const columns = createColumns(
    readAt,
    (queue) =>
      canPause &&
      mayChange && (
        <Button
          look="small"
          aria-label={`${queue.isPaused ? 'Resume' : 'Pause'} ${queue.channel}`}
          onClick={() => void togglePause(queue)}
        >
          {queue.isPaused ? 'Resume' : 'Pause'}
        </Button>
      ),
  );
  return (
    <>
      <ProblemNote problem={problem} />
      <Table
        caption="Channels"
        className="q-table"
        columns={columns}
        rows={channels}
        getKey={({ channel }) => channel}
        getRowClass={({ sentence }) => (sentence ? 'noline' : undefined)}
        renderDetail={({ sentence, workers }) =>
          sentence && <NoteBox tone={workers.length === 0 ? 'red' : 'amber'}>{sentence}</NoteBox>
        }
      />
    </>
  );
}

function createColumns(
  readAt: number,
  renderPause: (queue: ChannelQueue) => ReactNode,
): Column<ChannelQueue>[] {
  return [
    {
      header: 'Channel',
      className: 'q-channel',
      isRowHeader: true,
      cell: ({ channel }) => (
        <span className="state">
          <Icon name={channelIcon(channel)} />
          {channel}
        </span>
      ),
    },
    {
      header: 'Workers',
      className: 'q-workers',
      cell: (queue) => <Workers queue={queue} readAt={readAt} />,
    },
    {
      header: 'Rate, last 30 min',
      className: 'q-rate',
      cell: ({ rates }) => <Spark rates={rates} />,
    },
    {
      header: 'Per second',
      className: 'num q-second',
      cell: ({ perSecond, peakPerSecond, isPaused }) => (
        <span className={perSecond === 0 ? 'zero' : ''}>
          {rate(perSecond)}
          <span className="sub">{isPaused ? 'paused' : `peak ${rate(peakPerSecond)}`}</span>
        </span>
      ),
    },
    {
      header: 'Pause or resume',
      isHeaderHidden: true,
      className: 'q-act right',
      cell: renderPause,
    },
  ];
}

function Workers({ queue, readAt }: { queue: ChannelQueue; readAt: number }) {
  const { workers, noWorkerSince, isPaused, pausedAt, pausedBy } = queue;
  const names = workers.map(({ id }) => id).join(', ');
  return (
    <>
      {workers.length > 0 ? (
        <span className="state" title={names}>
          <Mark name="delivered" /> {workers.length} worker{workers.length === 1 ? '' : 's'}
        </span>
      ) : (
        <span className="state s-failed">
          <Mark name="failed" /> no worker
        </span>
      )}
      <span className="sub cut">
        {isPaused &&
          `paused${pausedAt ? ` ${moment(pausedAt, readAt)}` : ''}${pausedBy ? ` by ${pausedBy}` : ''}`}
        {!isPaused && workers.length > 0 && names}
        {!isPaused &&
          workers.length === 0 &&
          noWorkerSince &&
          `since ${moment(noWorkerSince, readAt)}`}
      </span>
    </>
  );
}
