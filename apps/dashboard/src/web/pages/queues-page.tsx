import { useState } from 'react';
import type { ChannelQueue, QueuesAnswer } from '../../api/queues';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { clock, count, duration, rate } from '../format';
import { Segments } from '../parts/controls';
import { AwayBar, NoteBox, Waiting } from '../parts/notes';
import { BulkTable } from '../queues/bulk-table';
import { ChannelTable, countBlocked } from '../queues/channel-table';
import { IntegrationTable } from '../queues/integration-table';
import { PauseAll } from '../queues/pause-all';

const readEveryMs = 2_000;
const scopes = [
  { value: 'app', text: 'This app' },
  { value: 'all', text: 'All apps' },
] as const;

export function QueuesPage() {
  const app = useApp();
  const [scope, setScope] = useState<'app' | 'all'>('app');
  const query = scope === 'app' ? { app: app.id } : {};
  const queues = useAnswer('GET /api/queues', { query }, { everyMs: readEveryMs });
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
        <dt>Blocked</dt>
        <dd>{count(channels.reduce((all, { blocked }) => all + countBlocked(blocked), 0))}</dd>
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
