import { toItemNumber } from '@belfry/shared';
import { useEffect, useRef, useState } from 'react';
import type { ItemFilters } from '../../api/request-items';
import type { RequestAnswer } from '../../api/requests';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { formatFull } from '../dates';
import { count } from '../format';
import { formatCount, listCounts } from '../log/channel-summaries';
import { JsonBlock } from '../parts/code';
import { Button, Link, Tabs } from '../parts/controls';
import { Name } from '../parts/name';
import { AwayBar, NoteBox } from '../parts/notes';
import { CloseButton, PaneHeading, UnreadPane } from '../parts/pane';
import { State } from '../parts/state-mark';
import { buildPath } from '../route';
import { versionSearch } from '../versions/version-place';
import { BulkOverview } from './bulk-overview';
import { CallTab } from './call-tab';
import { isOpen } from './channel-row-state';
import { CurlButton } from './curl-button';
import { ExplainTab } from './explain-tab';
import { ItemFacts } from './item-facts';
import { listCurrent } from './prompt-groups';
import { RenderedTab } from './rendered-tab';
import styles from './request.module.css';
import { TimelineTab } from './timeline-tab';

const readAgainMs = 3_000;
/** A receipt may come late, and another operator may resend. */
const settledReadMs = 15_000;

/** Details of one request, from the call to the last receipt. */
export function RequestPane({ requestId, onClose }: { requestId: string; onClose: () => void }) {
  const app = useApp();
  /** The open item of a bulk request; without one, its overview. */
  const [item, setItem] = useState<number>();
  const [filters, setFilters] = useState<ItemFilters>({});
  const [isSettled, setSettled] = useState(false);
  const everyMs = isSettled ? settledReadMs : readAgainMs;
  const request = useAnswer(
    'GET /api/apps/:appId/requests/:requestId',
    { appId: app.id, requestId, query: { item: String(item ?? 0) } },
    { everyMs },
  );
  const { value } = request;
  const isOverview = value !== undefined && value.items > 1 && item === undefined;
  const isDone = value !== undefined && (isOverview ? isAllFinal(value) : isFinal(value));
  if (isDone !== isSettled) setSettled(isDone);
  return (
    <section className={`pane ${styles.detail}`} aria-label="Request" data-scrolls>
      {!value && (
        <UnreadPane loaded={request} reload={request.reload} what="request" onClose={onClose} />
      )}
      {value && (
        <>
          <AwayBar loaded={request} reload={request.reload} />
          <RequestHead request={value} onClose={onClose} />
          {isOverview ? (
            <BulkOverview
              request={value}
              filters={filters}
              everyMs={everyMs}
              isSettled={isSettled}
              onFilter={setFilters}
              onOpen={setItem}
            />
          ) : (
            <>
              {value.items > 1 && <ItemBar request={value} onItem={setItem} />}
              <ItemFacts request={value} />
              <RequestTabs request={value} onChanged={request.reload} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function isFinal({ channelRows, items, plannedItems }: RequestAnswer): boolean {
  return !channelRows.some(isOpen) && items === plannedItems;
}

function isAllFinal({ counts, items, plannedItems }: RequestAnswer): boolean {
  return counts.waiting + counts.sent + counts.unknown === 0 && items === plannedItems;
}

function RequestHead({ request, onClose }: { request: RequestAnswer; onClose: () => void }) {
  const app = useApp();
  const { event, version } = request;
  return (
    <div className="d-head">
      <div className="line">
        <PaneHeading>
          <Name text={event.name} />
        </PaneHeading>
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
        <CloseButton label="Close request" onClose={onClose} />
      </div>
      <Facts request={request} />
      {request.items === 1 && <Tally request={request} />}
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
    ['Accepted', formatFull(request.acceptedAt)],
    ['Request', request.requestId],
    ['Idempotency key', request.idempotencyKey],
    ['API key', request.apiKeyHint],
    ['Trace', request.traceId],
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

/** Counts of a single request, named as in its log row. A bulk request has its overview. */
function Tally({ request: { counts, channelRows } }: { request: RequestAnswer }) {
  const messages = channelRows.filter(({ kind }) => kind === 'message').length;
  const replaced = messages - listCurrent(channelRows).length;
  return (
    <div className={styles.tally}>
      <span className="dim">{count(counts.total)} in total</span>
      {listCounts(counts).map((each) => (
        <State key={each.name} name={each.name === 'waiting' ? 'queued' : each.name}>
          {formatCount(each)}
        </State>
      ))}
      {replaced > 0 && (
        <span className="dim">{count(replaced)} replaced by a resend, not counted</span>
      )}
    </div>
  );
}

function ItemBar({
  request: { item, items },
  onItem,
}: {
  request: RequestAnswer;
  onItem: (item: number | undefined) => void;
}) {
  const back = useRef<HTMLButtonElement>(null);
  // The item replaces the list with the pressed button.
  useEffect(() => back.current?.focus(), []);
  return (
    <div className="bar">
      <Button ref={back} look="small" onClick={() => onItem(undefined)}>
        All items
      </Button>
      <span>
        Item {count(toItemNumber(item))} of {count(items)}
      </span>
      <span className="grow" />
      <Button look="small" disabled={item === 0} onClick={() => onItem(item - 1)}>
        Previous
      </Button>
      <Button look="small" disabled={item + 1 >= items} onClick={() => onItem(item + 1)}>
        Next
      </Button>
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
            <JsonBlock
              title="The request in the dashboard API"
              value={request}
              aside="times in Unix ms, UTC"
            />
          </div>
        )}
      </div>
    </>
  );
}
