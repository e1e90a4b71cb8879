import { useState } from 'react';
import type { RequestAnswer } from '../../api/requests';
import { useAnswer } from '../answers';
import { useApp, useServices } from '../context';
import { count, moment } from '../format';
import { formatCount, listCounts } from '../log/channel-summaries';
import { JsonBlock } from '../parts/code';
import { Button, Link, Tabs } from '../parts/controls';
import { Icon } from '../parts/icons';
import { AwayBar, NoteBox, Waiting } from '../parts/notes';
import { State } from '../parts/state-mark';
import { buildPath, usePageLocation } from '../route';
import { versionSearch } from '../versions/version-place';
import { CallTab } from './call-tab';
import { CurlButton } from './curl-button';
import { ExplainTab } from './explain-tab';
import { RenderedTab } from './rendered-tab';
import { TimelineTab } from './timeline-tab';

const readAgainMs = 3_000;

/** Details of one request, from the call to the last receipt. */
export function RequestPane({ requestId }: { requestId: string }) {
  const app = useApp();
  const [item, setItem] = useState(0);
  const [isSettled, setSettled] = useState(false);
  const request = useAnswer(
    'GET /api/apps/:appId/requests/:requestId',
    { appId: app.id, requestId, query: { item: String(item) } },
    { everyMs: isSettled ? undefined : readAgainMs },
  );
  const { value } = request;
  const isDone = value !== undefined && isFinal(value);
  if (isDone !== isSettled) setSettled(isDone);
  return (
    <section className="pane detail" aria-label="Request">
      <AwayBar loaded={request} reload={request.reload} />
      {!value && <Waiting loaded={request} reload={request.reload} what="request" />}
      {value && (
        <>
          <RequestHead request={value} />
          {value.items > 1 && <ItemBar request={value} onItem={setItem} />}
          <RequestTabs request={value} onChanged={request.reload} />
        </>
      )}
    </section>
  );
}

function isFinal({ channelRows, items, plannedItems }: RequestAnswer): boolean {
  const open = ['queued', 'sending', 'sent', 'unknown'];
  const isOpen = channelRows.some(
    (channelRow) => channelRow.kind === 'message' && open.includes(channelRow.state),
  );
  return !isOpen && items === plannedItems;
}

function RequestHead({ request }: { request: RequestAnswer }) {
  const app = useApp();
  const { navigation } = useServices();
  const { search } = usePageLocation();
  const { event, version } = request;
  return (
    <div className="d-head">
      <div className="line">
        <h2 className="cut" title={event.name}>
          {event.name}
        </h2>
        {event.isDeleted ? (
          <span className="tag warn">event deleted</span>
        ) : (
          <Link
            className="tag mono"
            to={buildPath(app.id, 'events', event.id)}
            search={versionSearch(version.id)}
            title="Version of this request"
          >
            {version.kind === 'test' ? 'test' : `v${version.number}`}
          </Link>
        )}
        {request.kind !== 'single' && <span className="tag">{request.kind}</span>}
        {request.isSandbox && <span className="tag warn">sandbox</span>}
        <span className="grow" />
        <CurlButton request={request} />
        <Button
          look="small bare icon"
          title="Close (Esc)"
          aria-label="Close request"
          onClick={() => navigation.go(buildPath(app.id, 'log'), { search })}
        >
          <Icon name="x" />
        </Button>
      </div>
      <Facts request={request} />
      <Tally request={request} />
      {request.isSensitive && (
        <NoteBox tone="plain">
          Sensitive event: its data and texts are masked, and deleted once a message is final.
        </NoteBox>
      )}
    </div>
  );
}

function Facts({ request }: { request: RequestAnswer }) {
  const facts = [
    ['Accepted', moment(request.acceptedAt, request.readAt)],
    ['Request', request.requestId],
    ['Idempotency', request.idempotencyKey],
    ['API key', request.apiKeyHint],
  ] as const;
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono cut" title={value}>
              {value}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Counts of the whole request, named as in its log row. */
function Tally({ request: { counts } }: { request: RequestAnswer }) {
  return (
    <div className="tally">
      <span className="dim">{count(counts.total)} in total</span>
      {listCounts(counts).map((each) => (
        <State key={each.name} name={each.name === 'waiting' ? 'queued' : each.name}>
          {formatCount(each)}
        </State>
      ))}
    </div>
  );
}

function ItemBar({ request, onItem }: { request: RequestAnswer; onItem: (item: number) => void }) {
  const { item, items, plannedItems } = request;
  return (
    <div className="bar item-bar">
      <label>
        Item{' '}
        <input
          className="input num"
          type="number"
          min={1}
          max={items}
          value={item + 1}
          onChange={(event) => {
            const next = Number(event.target.value) - 1;
            if (Number.isInteger(next) && next >= 0 && next < items) onItem(next);
          }}
        />
      </label>
      <span className="faint">
        of {count(items)} {plannedItems < items && `; ${count(plannedItems)} planned so far`}
      </span>
    </div>
  );
}

const tabs = [
  { id: 'timeline', content: 'Timeline' },
  { id: 'call', content: 'Call and response' },
  { id: 'rendered', content: 'Rendered' },
  { id: 'explain', content: 'Explain' },
  { id: 'json', content: 'JSON' },
] as const;

function RequestTabs({
  request,
  onChanged,
}: {
  request: RequestAnswer;
  onChanged: () => Promise<void>;
}) {
  const [tab, setTab] = useState<string>('timeline');
  return (
    <>
      <Tabs label="Request" tabs={tabs} current={tab} onChange={setTab} />
      <div role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'timeline' && <TimelineTab request={request} onChanged={onChanged} />}
        {tab === 'call' && <CallTab request={request} />}
        {tab === 'rendered' && <RenderedTab request={request} />}
        {tab === 'explain' && <ExplainTab request={request} />}
        {tab === 'json' && (
          <div className="pad">
            <JsonBlock title="The request in the dashboard API" value={request} />
          </div>
        )}
      </div>
    </>
  );
}
