import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { EventRow } from '../../api/events';
import { useAnswer, useReload } from '../answers';
import { useApp, useServices, useSession } from '../context';
import { Button, Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { ListPage } from '../parts/list-page';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { NameDialog } from '../parts/name-dialog';
import { Waiting } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './events-page.module.css';

const readAgainMs = 30_000;

export function EventsPage() {
  const app = useApp();
  const [text, setText] = useState('');
  const { search } = useLocation();
  const [isAdding, setAdding] = useState(new URLSearchParams(search).get('do') === 'create');
  const list = useAnswer(
    'GET /api/apps/:appId/events',
    { appId: app.id },
    { everyMs: readAgainMs },
  );
  const all = list.value?.events ?? [];
  const visibleEvents = all.filter(({ name }) => name.includes(text.trim()));
  return (
    <ListPage
      finds="Find event"
      placeholder="Name"
      text={text}
      onText={setText}
      loaded={list}
      reload={list.reload}
      create={{ text: 'Create event', onClick: () => setAdding(true) }}
    >
      {!list.value && <Waiting loaded={list} reload={list.reload} what="events" />}
      {list.value && all.length === 0 && <NoEvent onAdd={() => setAdding(true)} />}
      {all.length > 0 && <EventTable events={visibleEvents} />}
      {isAdding && <NewEventDialog onClose={() => setAdding(false)} />}
    </ListPage>
  );
}

function NoEvent({ onAdd }: { onAdd: () => void }) {
  const { mayChange } = useSession();
  return (
    <div className="pane">
      <div className="empty">
        <h2>No events yet</h2>
        <p>
          A backend sends an event such as <code>order_shipped</code>. The event defines the
          channels and templates. Write a draft, preview it on every channel, then publish it.
        </p>
        <p>
          {mayChange && (
            <Button look="main-action" onClick={onAdd}>
              Create event
            </Button>
          )}
        </p>
      </div>
    </div>
  );
}

function EventTable({ events }: { events: EventRow[] }) {
  const app = useApp();
  const columns: Column<EventRow>[] = [
    {
      header: 'Event',
      className: 'ev',
      sortBy: ({ name }) => name,
      cell: ({ id, name, channels }) => (
        <>
          <Link to={buildPath(app.id, 'events', id)} title={name}>
            <Name text={name} />
          </Link>
          <span className={styles.below}>
            <ChannelIcons channels={channels} />
          </span>
        </>
      ),
    },
    {
      header: 'State',
      className: 'c-state',
      sortBy: ({ state }) => state,
      cell: (event) => <EventState event={event} />,
    },
    {
      header: 'Channels',
      className: styles.beside,
      cell: ({ channels }) => <ChannelIcons channels={channels} />,
    },
    {
      header: 'Live since',
      className: 'num c-when opt',
      sortBy: ({ liveSince }) => liveSince,
      cell: ({ liveSince }) => (liveSince ? <Moment at={liveSince} /> : ''),
    },
    {
      header: 'Changed',
      className: 'num c-when',
      sortBy: ({ updatedAt }) => updatedAt,
      cell: ({ updatedAt }) => <Moment at={updatedAt} />,
    },
  ];
  return (
    <section className="pane" aria-label="Events">
      <Table
        caption="Events"
        className={`wide-rows ${styles.table}`}
        columns={columns}
        rows={events}
        getKey={({ id }) => id}
        empty="No matching events."
      />
    </section>
  );
}

function ChannelIcons({ channels }: { channels: string[] }) {
  return (
    <span className={styles.channels}>
      {channels.map((channel) => (
        <span key={channel} className="state" title={channel}>
          <Icon name={channelIcon(channel)} size={14} />
          <span className="wide-only">{channel}</span>
        </span>
      ))}
      {channels.length === 0 && <span className="faint">none</span>}
    </span>
  );
}

function EventState({ event }: { event: EventRow }) {
  if (event.state === 'draft') {
    return (
      <span className="state">
        <Mark name="draft" /> draft
      </span>
    );
  }
  return (
    <span className="state">
      <Mark name="delivered" /> live, v{event.liveNumber}
      {event.state === 'changed' && <span className="tag on">draft differs</span>}
    </span>
  );
}

function NewEventDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const reload = useReload();
  return (
    <NameDialog
      title="Create event"
      action={() => 'Create event'}
      hint={
        <>
          Callers send this as <code>event</code>, for example order_shipped. Unique in this app.
        </>
      }
      maxLength={128}
      isMono
      send={(name) => api.call('POST /api/apps/:appId/events', { appId: app.id, body: { name } })}
      onDone={async ({ id }) => {
        await reload('GET /api/apps/:appId/events', { appId: app.id });
        onClose();
        void navigate(buildPath(app.id, 'events', id));
      }}
      onClose={onClose}
    />
  );
}
