import { useState } from 'react';
import type { QueuesAnswer } from '../../api/queues';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { count, duration, rate } from '../format';
import { writeFilters } from '../log/filters';
import { waitNames, waitTitles } from '../log/waits';
import { Segments } from '../parts/controls';
import { Moment } from '../parts/moment';
import { AwayBar, NoteBox, Waiting } from '../parts/notes';
import { AppTable } from '../queues/app-table';
import { BulkTable } from '../queues/bulk-table';
import { ChannelTable } from '../queues/channel-table';
import { IntegrationTable } from '../queues/integration-table';
import { PauseAll } from '../queues/pause-all';
import styles from '../queues/queues.module.css';
import { WaitFigure } from '../queues/wait-figure';

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
    <div className="split">
      <div>
        <div className="bar filters">
          <Segments label="Apps" options={scopes} value={scope} onChange={setScope} />
          <span className="faint small">
            {value && (
              <>
                rates over the last 30 min, counts as of <Moment at={value.readAt} />
              </>
            )}
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
            <Totals queues={value} appId={scope === 'app' ? app.id : undefined} />
            <ChannelTable
              channels={value.channels}
              appId={scope === 'app' ? app.id : undefined}
              readAt={value.readAt}
              onChanged={queues.reload}
            />
            {scope === 'all' && <AppTable apps={value.apps} readAt={value.readAt} />}
            <div className={styles.pair}>
              <IntegrationTable integrations={value.integrations} onChanged={queues.reload} />
              <BulkTable bulks={value.bulks} />
            </div>
          </>
        )}
      </div>
    </div>
  );
}

function Totals({
  queues: { total, channels, latency, readAt },
  appId,
}: {
  queues: QueuesAnswer;
  appId: string | undefined;
}) {
  const facts = [
    { name: 'Queued', value: total.queued, filters: { state: 'queued' } },
    ...waitNames.map((name) => ({
      name: waitTitles[name],
      value: total.reasons[name],
      filters: { waits: name },
    })),
    { name: 'Sending', value: total.sending, filters: { state: 'sending' } },
  ];
  return (
    <dl className="totals">
      {facts.map(({ name, value, filters }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <WaitFigure
              value={value}
              label={<span className="vh"> {name}</span>}
              readAt={readAt}
              appId={appId}
              search={writeFilters(filters)}
            />
          </dd>
        </div>
      ))}
      <div>
        <dt>Sent per second</dt>
        <dd>{rate(channels.reduce((all, { perSecond }) => all + perSecond, 0))}</dd>
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
        <dt>Acceptance to provider, p50</dt>
        <dd>{duration(p50Ms)}</dd>
      </div>
      <div className="opt" title={title}>
        <dt>p99</dt>
        <dd>{duration(p99Ms)}</dd>
      </div>
    </>
  );
}
