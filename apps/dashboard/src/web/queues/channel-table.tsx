import { useState } from 'react';
import type { ChannelQueue } from '../../api/queues';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { rate } from '../format';
import { Button } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { Moment } from '../parts/moment';
import { NoteBox, ProblemNote } from '../parts/notes';
import { Spark } from '../parts/spark';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import styles from './queues.module.css';
import { createWaitColumns } from './wait-columns';

/** A row for each channel, with its problem below it. */
export function ChannelTable({
  channels,
  appId,
  readAt,
  onChanged,
}: {
  channels: ChannelQueue[];
  /** Undefined for all apps: these cannot be paused together. */
  appId: string | undefined;
  readAt: number;
  onChanged: () => Promise<void>;
}) {
  const { api } = useServices();
  const { mayChange } = useSession();
  const [problem, setProblem] = useState<PageProblem>();
  async function togglePause(pausedAppId: string, { channel, isPaused }: ChannelQueue) {
    const action = isPaused ? 'resume' : 'pause';
    const answer = await api.call(`POST /api/apps/:appId/channels/:channel/${action}`, {
      appId: pausedAppId,
      channel,
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    await onChanged();
  }
  const pauseColumn: Column<ChannelQueue> = {
    header: 'Pause or resume',
    isHeaderHidden: true,
    className: `${styles.action} right`,
    cell: (queue) =>
      appId &&
      mayChange && (
        <Button
          look="small"
          aria-label={`${queue.isPaused ? 'Resume' : 'Pause'} ${queue.channel}`}
          onClick={() => void togglePause(appId, queue)}
        >
          {queue.isPaused ? 'Resume' : 'Pause'}
        </Button>
      ),
  };
  const waitColumns = createWaitColumns<ChannelQueue>(
    (queue) => ({ ...queue, name: queue.channel, appId }),
    readAt,
  );
  return (
    <>
      <ProblemNote problem={problem} />
      <Table
        caption="Channels"
        className={`${styles.table} ${styles.stacked}`}
        columns={[...columns, ...waitColumns, pauseColumn]}
        rows={channels}
        getKey={({ channel }) => channel}
        getRowClass={({ sentence }) => (sentence ? styles.noLine : undefined)}
        renderDetail={({ sentence, workers }) =>
          sentence && <NoteBox tone={workers.length === 0 ? 'red' : 'amber'}>{sentence}</NoteBox>
        }
      />
    </>
  );
}

const columns: Column<ChannelQueue>[] = [
  {
    header: 'Channel',
    className: styles.channel,
    isRowHeader: true,
    cell: ({ channel }) => (
      <span className="state">
        <Icon name={channelIcon(channel)} />
        {channel}
      </span>
    ),
  },
  { header: 'Workers', className: styles.workers, cell: (queue) => <Workers queue={queue} /> },
  {
    header: 'Rate, last 30 min',
    className: `${styles.rate} opt`,
    cell: ({ rates }) => <Spark rates={rates} />,
  },
  {
    header: 'Per second',
    className: `num ${styles.second}`,
    cell: ({ perSecond, peakPerSecond, isPaused }) => (
      <span className={perSecond === 0 ? 'faint' : ''}>
        {rate(perSecond)}
        <span className={styles.sub}>{isPaused ? 'paused' : `peak ${rate(peakPerSecond)}`}</span>
      </span>
    ),
  },
];

function Workers({ queue }: { queue: ChannelQueue }) {
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
          <Mark name="failed" /> no workers
        </span>
      )}
      <span className={styles.sub}>
        {isPaused && (
          <>
            paused {pausedAt && <Moment at={pausedAt} />} {pausedBy && `by ${pausedBy}`}
          </>
        )}
        {!isPaused && workers.length === 0 && noWorkerSince && (
          <>
            since <Moment at={noWorkerSince} />
          </>
        )}
      </span>
    </>
  );
}
