import { useState } from 'react';
import type { ChannelQueue } from '../../api/queues';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { moment, rate } from '../format';
import { Button } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { NoteBox, ProblemNote } from '../parts/notes';
import { Spark } from '../parts/spark';
import { Mark } from '../parts/state-mark';

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
  return (
    <>
      <ProblemNote problem={problem} />
      <table className="q-table">
        <thead>
          <tr>
            <th className="q-channel">Channel</th>
            <th className="q-workers">Workers</th>
            <th className="q-rate">Rate, last 30 min</th>
            <th className="num q-second">Per second</th>
            <th className="q-act">
              <span className="vh">Pause or resume</span>
            </th>
          </tr>
        </thead>
        {channels.map((queue) => (
          <ChannelRow
            key={queue.channel}
            queue={queue}
            readAt={readAt}
            {...(canPause && mayChange ? { onTogglePause: () => void togglePause(queue) } : {})}
          />
        ))}
      </table>
    </>
  );
}

function ChannelRow({
  queue,
  readAt,
  onTogglePause,
}: {
  queue: ChannelQueue;
  readAt: number;
  onTogglePause?: () => void;
}) {
  return (
    <tbody>
      <tr className={queue.sentence ? 'noline' : ''}>
        <th scope="row" className="q-channel">
          <span className="state">
            <Icon name={channelIcon(queue.channel)} />
            {queue.channel}
          </span>
        </th>
        <td>
          <Workers queue={queue} readAt={readAt} />
        </td>
        <RateCells queue={queue} />
        <td className="right">
          {onTogglePause && (
            <Button
              look="small"
              aria-label={`${queue.isPaused ? 'Resume' : 'Pause'} ${queue.channel}`}
              onClick={onTogglePause}
            >
              {queue.isPaused ? 'Resume' : 'Pause'}
            </Button>
          )}
        </td>
      </tr>
      {queue.sentence && (
        <tr className="alert">
          <td colSpan={5}>
            <NoteBox tone={queue.workers.length === 0 ? 'red' : 'amber'}>{queue.sentence}</NoteBox>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function RateCells({
  queue: { rates, perSecond, peakPerSecond, isPaused },
}: {
  queue: ChannelQueue;
}) {
  return (
    <>
      <td>
        <Spark rates={rates} />
      </td>
      <td className={perSecond === 0 ? 'num zero' : 'num'}>
        {rate(perSecond)}
        <span className="sub">{isPaused ? 'paused' : `peak ${rate(peakPerSecond)}`}</span>
      </td>
    </>
  );
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
