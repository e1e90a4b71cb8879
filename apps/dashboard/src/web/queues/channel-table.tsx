import { useState } from 'react';
import type { ChannelQueue } from '../../api/queues';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { count, duration, moment, rate } from '../format';
import { Button } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { NoteBox, ProblemNote } from '../parts/notes';
import { Spark } from '../parts/spark';
import { Mark } from '../parts/state-mark';
import { Figure } from './figure';

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
            <th className="num">Waiting</th>
            <th className="num">Oldest</th>
            <th className="q-rate">Rate, last 30 min</th>
            <th className="num q-second">Per second</th>
            <th className="num opt">In flight</th>
            <th className="num">Retrying</th>
            <th className="num opt">Blocked</th>
            <th className="num opt">Scheduled</th>
            <th className="num">Attention</th>
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
        <Figure value={queue.waiting} limit={queue.countedTo} />
        <td className={queue.oldestMs === null ? 'num zero' : 'num'}>
          {queue.oldestMs === null ? 'none' : duration(queue.oldestMs)}
        </td>
        <RateCells queue={queue} />
        <Figure value={queue.inFlight} isOptional />
        <Retrying queue={queue} readAt={readAt} />
        <Blocked queue={queue} />
        <Figure value={queue.scheduled} isOptional />
        <td className={queue.needsAttention === 0 ? 'num zero' : 'num s-attention'}>
          {queue.needsAttention > 0 && <Mark name="attention" />} {count(queue.needsAttention)}
        </td>
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
          <td colSpan={12}>
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

function Retrying({ queue, readAt }: { queue: ChannelQueue; readAt: number }) {
  const { retrying, nextRetryAt } = queue;
  return (
    <td className={retrying === 0 ? 'num zero' : 'num'}>
      {count(retrying)}
      {nextRetryAt !== null && (
        <span className="sub">next in {duration(Math.max(0, nextRetryAt - readAt))}</span>
      )}
    </td>
  );
}

const blockLabels = {
  circuit: 'circuit open',
  limit: 'rate limit',
  connections: 'connections',
} as const;

/** Messages that a worker could not send yet. */
function Blocked({ queue: { blocked } }: { queue: ChannelQueue }) {
  const total = countBlocked(blocked);
  const reasons = (['circuit', 'limit', 'connections'] as const).filter(
    (name) => blocked[name] > 0,
  );
  return (
    <td className={total === 0 ? 'num zero opt' : 'num opt'}>
      {count(total)}
      {total > 0 && (
        <span className="sub">{reasons.map((name) => blockLabels[name]).join(', ')}</span>
      )}
    </td>
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

export function countBlocked({ circuit, limit, connections }: ChannelQueue['blocked']): number {
  return circuit + limit + connections;
}
