import { useState } from 'react';
import type { BulkProgress, ChannelQueue, IntegrationQueue, QueuesAnswer } from '../../api/queues';
import type { PageProblem } from '../api';
import { useAnswer, useApp, useServices, useSession } from '../context';
import { clock, count, duration, moment, rate } from '../format';
import { IntegrationStateMark } from '../integrations/integration-list';
import { Button, Link, Segments } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { AwayBar, NoteBox, ProblemNote, Waiting } from '../parts/notes';
import { Spark } from '../parts/spark';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';
import { PauseAll } from './pause-all';

const readEveryMs = 2_000;
const scopes = [
  { value: 'app', text: 'This app' },
  { value: 'all', text: 'All apps' },
] as const;

export function QueuesPage() {
  const app = useApp();
  const [scope, setScope] = useState<'app' | 'all'>('app');
  const appId = scope === 'app' ? app.id : undefined;
  const queues = useAnswer(`queues ${appId ?? 'all'}`, (api) => api.readQueues(appId), readEveryMs);
  const { value } = queues;
  return (
    <div className="split q">
      <div>
        <div className="bar filters">
          <Segments label="Apps" options={scopes} value={scope} onChange={setScope} />
          <span className="faint small">
            {value && `rates over the last 30 min, counts as of ${clock(value.readAt)}`}
          </span>
          <span className="grow" />
          {scope === 'app' && <PauseAll onChanged={queues.reload} />}
        </div>
        <AwayBar loaded={queues} reload={queues.reload} />
      </div>
      <div className="pane">
        {!value && <Waiting loaded={queues} reload={queues.reload} what="queues" />}
        {value && (
          <>
            {value.stores.sentence && (
              <div className="pad">
                <NoteBox tone="amber">{value.stores.sentence}</NoteBox>
              </div>
            )}
            <Totals queues={value} />
            <ChannelTable
              channels={value.channels}
              canPause={scope === 'app'}
              readAt={value.readAt}
              onChanged={queues.reload}
            />
            <div className="two-up">
              <IntegrationTable integrations={value.integrations} onChanged={queues.reload} />
              <BulkTable bulks={value.bulks} />
            </div>
          </>
        )}
      </div>
    </div>
  );
}

function Totals({ queues: { channels, latency } }: { queues: QueuesAnswer }) {
  const sum = (name: 'waiting' | 'inFlight' | 'retrying' | 'needsAttention' | 'scheduled') =>
    channels.reduce((all, channel) => all + channel[name], 0);
  const isCapped = channels.some(({ waiting, countedTo }) => waiting >= countedTo);
  const oldest = channels.reduce<ChannelQueue | undefined>(
    (oldestSoFar, one) => ((one.oldestMs ?? 0) > (oldestSoFar?.oldestMs ?? 0) ? one : oldestSoFar),
    undefined,
  );
  return (
    <dl className="totals">
      <div>
        <dt>Waiting</dt>
        <dd>
          {count(sum('waiting'))}
          {isCapped && '+'}
        </dd>
      </div>
      <div>
        <dt>Oldest</dt>
        <dd>
          {oldest?.oldestMs ? duration(oldest.oldestMs) : 'none'}{' '}
          {oldest?.oldestMs && <small>{oldest.channel}</small>}
        </dd>
      </div>
      <div>
        <dt>Sent per second</dt>
        <dd>{rate(channels.reduce((all, { perSecond }) => all + perSecond, 0))}</dd>
      </div>
      <div>
        <dt>In flight</dt>
        <dd>{count(sum('inFlight'))}</dd>
      </div>
      <div>
        <dt>Retrying</dt>
        <dd>{count(sum('retrying'))}</dd>
      </div>
      <div>
        <dt>Scheduled</dt>
        <dd>{count(sum('scheduled'))}</dd>
      </div>
      <div>
        <dt>Needs attention</dt>
        <dd className={sum('needsAttention') > 0 ? 's-attention' : ''}>
          {count(sum('needsAttention'))}
        </dd>
      </div>
      {latency && <LatencyTotals latency={latency} />}
    </dl>
  );
}

function LatencyTotals({ latency }: { latency: NonNullable<QueuesAnswer['latency']> }) {
  const { messages, p50Ms, p99Ms } = latency;
  const title = `Newest ${count(messages)} single sends of the last 30 minutes`;
  return (
    <>
      <div className="opt" title={title}>
        <dt>Accept to provider, p50</dt>
        <dd>{duration(p50Ms)}</dd>
      </div>
      <div className="opt" title={title}>
        <dt>p99</dt>
        <dd>{duration(p99Ms)}</dd>
      </div>
    </>
  );
}

function ChannelTable({
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
    const answer = await api.setChannelPaused(app.id, channel, !isPaused);
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
          <td colSpan={11}>
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

function Figure({
  value,
  limit,
  isOptional = false,
}: {
  value: number;
  limit?: number;
  isOptional?: boolean;
}) {
  const classes = ['num', value === 0 && 'zero', isOptional && 'opt'].filter(Boolean);
  return <td className={classes.join(' ')}>{count(value, limit)}</td>;
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

function IntegrationTable({
  integrations,
  onChanged,
}: {
  integrations: IntegrationQueue[];
  onChanged: () => Promise<void>;
}) {
  const { api } = useServices();
  const { mayChange } = useSession();
  async function togglePause({ appId, id, state }: IntegrationQueue) {
    await api.setIntegrationPaused(appId, id, state !== 'paused');
    await onChanged();
  }
  return (
    <section>
      <h2>
        Integrations <small>messages waiting for each</small>
      </h2>
      <table>
        <thead>
          <tr>
            <th>Integration</th>
            <th>State</th>
            <th className="num">Waiting</th>
            <th className="q-act">
              <span className="vh">Pause or resume</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {integrations.map((one) => (
            <tr key={one.id}>
              <td className="ev">
                <Link to={buildPath(one.appId, 'integrations', one.id)}>{one.name}</Link>
              </td>
              <td title={one.stateReason ?? undefined}>
                <IntegrationStateMark state={one.state} />
              </td>
              <Figure value={one.waiting} />
              <td className="right">
                {mayChange && (
                  <Button
                    look="small"
                    aria-label={`${one.state === 'paused' ? 'Resume' : 'Pause'} ${one.name}`}
                    onClick={() => void togglePause(one)}
                  >
                    {one.state === 'paused' ? 'Resume' : 'Pause'}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {integrations.length === 0 && <p className="nothing">No integrations yet.</p>}
    </section>
  );
}

function BulkTable({ bulks }: { bulks: BulkProgress[] }) {
  return (
    <section>
      <h2>
        Bulk <small>single sends have priority</small>
      </h2>
      <table>
        <thead>
          <tr>
            <th>Request</th>
            <th>Planned</th>
            <th className="num">Items</th>
          </tr>
        </thead>
        <tbody>
          {bulks.map((bulk) => (
            <tr key={bulk.requestId}>
              <td className="ev">
                <Link to={buildPath(bulk.appId, 'log', bulk.requestId)}>{bulk.event}</Link>
              </td>
              <td>
                <progress
                  max={bulk.items}
                  value={bulk.plannedItems}
                  aria-label={`${bulk.event}: ${bulk.plannedItems} of ${bulk.items} planned`}
                />
              </td>
              <td className="num">
                {count(bulk.plannedItems)} of {count(bulk.items)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {bulks.length === 0 && <p className="nothing">No bulk requests are being planned.</p>}
    </section>
  );
}
